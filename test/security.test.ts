import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './imports.ts';

const text = readFileSync(join(root, 'SECURITY.md'), 'utf8');
const linksIn = (part: string) => [...part.matchAll(/\]\(([^)#]+)\)/g)].map(([, path]) => path!);

test('SECURITY.md names files that exist, and a test for each thing that it says is defended', () => {
  expect(linksIn(text).filter((path) => !existsSync(join(root, path)))).toEqual([]);
  const [, defended = ''] = text.split('| what is defended | how | shown by |');
  const rows = defended
    .split('## What is not defended')[0]!
    .split('\n')
    .filter((line) => line.startsWith('| **'));
  expect(rows.length).toBeGreaterThan(10);
  for (const row of rows)
    expect(
      linksIn(row.split('|').at(-2)!).every((path) => path.endsWith('.test.ts')),
      row,
    ).toBe(true);
  for (const row of rows) expect(linksIn(row.split('|').at(-2)!), row).not.toEqual([]);
});
