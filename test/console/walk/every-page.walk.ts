import { beforeAll, describe, expect, test } from 'vitest';
import { sizeOf } from '../assets.ts';
import { describeInBrowser, type Stage } from '../browser.ts';
import { type Content, makeContent } from '../pages.ts';
import { emptyPages } from './empty-project.ts';
import { kinds, tableOf } from './findings.ts';
import { walk } from './walk.ts';

describeInBrowser('the pages of a project with something of everything', (stage) => {
  testPages(stage, 'full project', async () => [
    ['sign-in', '/login'],
    ...(await makeContent(stage.assay.call)).pages,
  ]);
});

describeInBrowser('the pages of a new project', (stage) => {
  testPages(stage, 'empty project', () => emptyPages(stage.assay.call));
});

function testPages(stage: Stage, title: string, makePages: () => Promise<Content['pages']>): void {
  let seen: Awaited<ReturnType<typeof walk>>;
  beforeAll(async () => {
    const pages = await makePages();
    seen = await walk(() => stage.visit(), pages);
    process.stdout.write(tableOf(title, pages.length, seen.findings));
  });

  describe('all have', () => {
    const rules = {
      shift: 'nothing that moves by more than 0.02 in all',
      accessibility: 'nothing that axe finds, at three widths and in both themes',
      width: 'no more width than their window',
      complaints: 'a clean log',
      weight: 'at most an eighth of their text of weight 600 and more',
      actions: 'at most one main action',
      head: 'a head of one height, but for a title of several lines',
      targets: 'nothing to press on a telephone that is less than 24 px high',
      bytes: 'at most 20 KB of styles and 60 KB of fonts, compressed',
    };
    test.each(kinds.map((kind) => [rules[kind], kind] as const))('%s', (_rule, kind) => {
      expect(seen.findings.filter((finding) => finding.kind === kind)).toEqual([]);
    });
  });

  test('no two of different things have the same title', () => {
    const paths = new Map<string, string[]>();
    for (const [path, titles] of seen.titles)
      for (const title of titles) paths.set(title, [...(paths.get(title) ?? []), path]);
    expect([...paths].filter(([, { length }]) => length > 1)).toEqual([]);
  });

  test('the first file and those that it needs take at most 150 KB of script', async () => {
    const html = await (await fetch(stage.assay.url, { headers: { accept: 'text/html' } })).text();
    const paths = [...html.matchAll(/(?:src|href)="([^"]+\.js)"/g)].map(([, path]) => path!);
    expect(paths).not.toEqual([]);
    const urls = paths.map((path) => new URL(path, stage.assay.url).href);
    expect(await sizeOf(urls)).toBeLessThanOrEqual(150_000);
  });
}
