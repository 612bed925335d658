import { gzipSync } from 'node:zlib';
import type { Page } from 'playwright-core';
import { beforeAll, expect, test } from 'vitest';
import { problemsOf } from './accessibility.ts';
import { describeInBrowser } from './browser.ts';
import { type Content, makeContent } from './pages.ts';

describeInBrowser('every page', (stage) => {
  let content: Content;
  beforeAll(async () => {
    content = await makeContent(stage.assay.call);
  });

  test.each(['light', 'dark'] as const)(
    'is accessible by the rules of WCAG 2.2 AA, and complains of nothing, in the %s theme',
    async (theme) => {
      await using visit = await stage.visit({ theme });
      const found: string[] = [];
      for (const [name, path] of [['sign-in', '/login'], ...content.pages] as const) {
        await visit.open(path);
        await settle(visit.page);
        for (const problem of await problemsOf(visit.page)) found.push(`${name}: ${problem}`);
        for (const complaint of visit.complaints.splice(0)) found.push(`${name}: ${complaint}`);
      }
      expect(found).toEqual([]);
    },
  );

  test('fits a window 320 px wide: only grids and plots scroll sideways', async () => {
    await using visit = await stage.visit({ width: 320, height: 640 });
    const tooWide: string[] = [];
    for (const [name, path] of content.pages) {
      await visit.open(path);
      await settle(visit.page);
      const width = Number(await visit.page.evaluate('document.documentElement.scrollWidth'));
      if (width > 320) tooWide.push(`${name}: ${width} px`);
    }
    expect(tooWide).toEqual([]);
  });

  test('takes at most 200 KB of script, 350 KB with an editor, and 20 KB of styles, compressed', async () => {
    const tooMuch: string[] = [];
    for (const [name, path, has] of content.pages) {
      await using visit = await stage.visit();
      const loaded: Promise<{ kind: string; bytes: number }>[] = [];
      visit.page.on('response', (response) => {
        const kind = /\/assets\/.*\.(js|css)$/.exec(response.url())?.[1];
        if (kind)
          loaded.push(
            response.body().then((body) => ({ kind, bytes: gzipSync(body, { level: 9 }).length })),
          );
      });
      await visit.open(path);
      await settle(visit.page);
      const files = await Promise.all(loaded);
      const sum = (wanted: string) =>
        files.filter(({ kind }) => kind === wanted).reduce((all, { bytes }) => all + bytes, 0);
      // An editor that was not loaded would be within any budget.
      expect(sum('js'), name).toBeGreaterThan(has ? 200_000 : 50_000);
      if (sum('js') > (has ? 350_000 : 200_000))
        tooMuch.push(`${name}: ${sum('js')} bytes of script`);
      if (sum('css') > 20_000) tooMuch.push(`${name}: ${sum('css')} bytes of styles`);
    }
    expect(tooMuch).toEqual([]);
  });

  test('has nothing of another organization: its ids are not found', async () => {
    const { key } = await stage.assay.newOrganization('Others');
    await using visit = await stage.visit({ key });
    for (const [name, path] of content.pages.filter(([, path]) => path.includes('/projects/'))) {
      await visit.open(path);
      await settle(visit.page);
      const text = (await visit.page.locator('main').textContent()) ?? '';
      expect(text, name).not.toMatch(/Capitals|Bergen|atlas|discuss/);
    }
  });
});

/** Waits until a page has all that it asked for. */
const settle = (page: Page) => page.waitForLoadState('networkidle');
