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

/** The last column of the table of words in docs/glossary.md. */
const unsaid = readFileSync(join(root, 'docs/glossary.md'), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|'))
  .flatMap((line) =>
    [
      ...line
        .split('|')
        .at(-2)!
        .matchAll(/`([^`]+)`/g),
    ].map(([, text]) => text!),
  );

test('nobody who uses Assay reads a phrase that docs/glossary.md has replaced', () => {
  expect(unsaid).toContain('Score anew');
  const said = new RegExp(`\\b(?:${unsaid.join('|')})\\b`);
  const guides = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md') && name !== 'glossary.md')
    .map((name) => ({
      path: `docs/${name}`,
      text: readFileSync(join(root, 'docs', name), 'utf8'),
    }));
  const shown = readSources().filter(({ path }) => /^(console|cli|mcp)\/src\//.test(path));
  const found = [...shown, ...guides].flatMap(({ path, text }) =>
    text
      .split('\n')
      .filter((line) => !/^\s*(\/\/|\/\*\*|\*)/.test(line) && said.test(line))
      .map((line) => `${path}: ${line.trim()}`),
  );
  expect(found).toEqual([]);
});
