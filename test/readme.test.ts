import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, posix } from 'node:path';
import { describe, expect, test } from 'vitest';
import { root } from './imports.ts';

const read = (path: string) => readFileSync(join(root, path), 'utf8');
const pagesIn = (folder: string) =>
  readdirSync(join(root, folder)).filter((name) => name.endsWith('.md'));
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...['docs', 'docs/adr'].flatMap((folder) =>
    pagesIn(folder).map((name) => posix.join(folder, name)),
  ),
];

/** The text of a page without its fenced blocks. */
const prose = (text: string) => text.replaceAll(/^```[\s\S]*?^```$/gm, '');

/**
 * What links and code spans name, as paths from the root. A span names a file when it begins with
 * one of our folders.
 */
function namedFiles(page: string, text: string): string[] {
  const links = [...prose(text).matchAll(/\]\((?!https?:|#)([^)#\s]+)/g)].map(([, target]) =>
    posix.join(posix.dirname(page), target!),
  );
  const spans = [
    ...prose(text).matchAll(
      /`((?:shared|engines|services|gateway|local|examples|test|bench|scripts|docs|\.ci)\/[\w./-]+)`/g,
    ),
  ];
  return [...links, ...spans.map(([, path]) => path!)];
}

const scriptsNamed = (text: string) =>
  [...text.matchAll(/\bnpm (?:run (?:--silent )?([\w:-]+)|(test|start)\b)/g)].map(
    ([, run, short]) => run ?? short!,
  );

describe.each(pages)('%s', (page) => {
  test('names only files that there are', () => {
    expect(namedFiles(page, read(page)).filter((path) => !existsSync(join(root, path)))).toEqual(
      [],
    );
  });

  test('names only npm scripts that there are', () => {
    const { scripts } = JSON.parse(read('package.json'));
    expect(scriptsNamed(read(page)).filter((name) => !(name in scripts))).toEqual([]);
  });
});

test('every function that docs/request-path.md names stands in the file that it is named with', () => {
  const steps = [
    ...`${read('docs/request-path.md')}\n\n`.matchAll(/^\d+\. ([\s\S]*?)(?=\n\d+\. |\n\n)/gm),
  ].map(([, text]) => text!);
  const missing = steps.flatMap((text) => {
    const file = /`([\w./-]+\.ts)`/.exec(text)?.[1] ?? 'no file';
    const source = existsSync(join(root, file)) ? read(file) : '';
    const names = [...text.matchAll(/`([\w.]+)\(\)`/g)].flatMap(
      ([, name]) => name!.split('.').at(-1)!,
    );
    return names
      .filter((name) => !new RegExp(`\\b${name}\\b`).test(source))
      .map((name) => `${file} has no ${name}`);
  });
  expect(steps.length).toBeGreaterThan(15);
  expect(missing).toEqual([]);
});

test('every decision says its context, what was decided, what follows and how it stands, and is in the list', () => {
  const decisions = pagesIn('docs/adr').filter((name) => name !== 'README.md');
  const listed = [...read('docs/adr/README.md').matchAll(/\]\((\d{4}-[\w-]+\.md)\)/g)].map(
    ([, name]) => name!,
  );
  expect(listed).toEqual(decisions.toSorted());
  for (const name of decisions) {
    const headings = [...read(`docs/adr/${name}`).matchAll(/^## (.*)$/gm)].map(
      ([, heading]) => heading,
    );
    expect(headings, name).toEqual(['Context', 'Decision', 'Consequences', 'Status']);
  }
});

test('a broken link, a file that is not there and an unknown script are found', () => {
  const text =
    'See [it](../nowhere.md#part) and `shared/runtime/none.ts`, or `npm run nothing`.\n```text\n`shared/fenced.ts`\n```\n';
  expect(namedFiles('docs/page.md', text)).toEqual(['nowhere.md', 'shared/runtime/none.ts']);
  expect(scriptsNamed('npm run nothing, npm test')).toEqual(['nothing', 'test']);
});
