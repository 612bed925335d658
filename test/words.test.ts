import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { readSources, root } from './imports.ts';

/** The last column of the table of words in CONTRIBUTING.md. */
const retired = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8')
  .split('## Words')[1]!
  .split('\n## ')[0]!
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .map((line) => line.split('|').at(-2)!)
  .flatMap((names) => [...names.matchAll(/`(\w+)`/g)].map(([, name]) => name!));

test('nothing is declared under a name that CONTRIBUTING.md has replaced', () => {
  expect(retired).toContain('Parts');
  const declaration = new RegExp(
    `\\b(?:const|let|function|class|interface|type) (?:${retired.join('|')})\\b`,
    'g',
  );
  const found = readSources().flatMap(({ path, text }) =>
    [...text.matchAll(declaration)].map(([line]) => `${path}: ${line}`),
  );
  expect(found).toEqual([]);
});

test('a comment names its subject: at most one line of comments in fifty says "what"', () => {
  const sources = readSources().filter(({ path }) => !/(^|\/)test\//.test(path));
  const lines = sources.flatMap(({ path, text }) =>
    text
      .split('\n')
      .flatMap((line, index) =>
        /^\s*(\/\/|\/\*\*|\*)/.test(line) ? [`${path}:${index + 1}: ${line.trim()}`] : [],
      ),
  );
  const vague = lines.filter((line) => /\bwhat\b/i.test(line));
  expect(lines.length).toBeGreaterThan(2000);
  expect(vague.length, vague.join('\n')).toBeLessThanOrEqual(lines.length / 50);
});

test('no page has the marks of a merge that was not finished', () => {
  const pages = ['.', 'docs', 'docs/adr'].flatMap((folder) =>
    readdirSync(join(root, folder))
      .filter((name) => name.endsWith('.md'))
      .map((name) => join(folder, name)),
  );
  expect(pages).toContain('CHANGELOG.md');
  const marks = /^(?:<{7}|={7}|>{7})(?: |$)/m;
  expect(pages.filter((page) => marks.test(readFileSync(join(root, page), 'utf8')))).toEqual([]);
});
