import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { licensedPackages, licenseTable, refused } from '../scripts/licenses.ts';
import { isAllowed } from '../scripts/spdx.ts';
import { root } from './imports.ts';

const packages = licensedPackages(root);

test('every dependency has a licence that may be distributed under Apache-2.0, and every tool one that may be used', () => {
  expect(packages.filter(({ use }) => use === 'distributed').length).toBeGreaterThan(150);
  expect(refused(packages)).toEqual([]);
});

test('a package that is bundled, or that a process imports, counts as distributed', () => {
  const distributed = packages.flatMap(({ name, use }) => (use === 'distributed' ? name : []));
  const bundled = [
    ...readFileSync(join(root, 'sdk/typescript/dist/bundle/LICENSES.txt'), 'utf8').matchAll(
      /(?:^|-{80}\n\n)(\S+) \d+\.\d+\.\d+\S*\n\n/g,
    ),
  ].map(([, name]) => name!);
  expect(bundled).toContain('commander');
  expect(distributed).toEqual(expect.arrayContaining([...bundled, 'react', 'fastify', 'mongodb']));
  expect(distributed).not.toContain('vitest');
});

test('a face of text may have the licence of faces, and its text is beside the console', () => {
  const of = (name: string) =>
    refused([{ name, version: '1.0.0', license: 'OFL-1.1', use: 'distributed' }]).length;
  expect([of('@fontsource-variable/inter'), of('inter')]).toEqual([0, 1]);
  const texts = readFileSync(join(root, 'console/dist/LICENSES.txt'), 'utf8');
  expect(texts).toMatch(/@fontsource-variable\/inter [\d.]+\n\n[\s\S]*?SIL OPEN FONT LICENSE/);
});

test('a licence that is not allowed is found, stricter where the package is distributed', () => {
  const of = (license: string, use: 'distributed' | 'tool') =>
    refused([{ name: 'a', version: '1.0.0', license, use }]).length;
  expect([of('GPL-3.0-only', 'tool'), of('unknown', 'tool'), of('MPL-2.0', 'tool')]).toEqual([
    1, 1, 0,
  ]);
  expect([of('MPL-2.0', 'distributed'), of('MIT', 'distributed')]).toEqual([1, 0]);
});

test.each<[string, boolean]>([
  ['MIT', true],
  ['GPL-2.0-only', false],
  ['GPL-2.0-only OR MIT', true],
  ['MIT AND GPL-2.0-only', false],
  ['(MIT OR GPL-2.0-only) AND ISC', true],
  ['MIT OR GPL-2.0-only AND ISC', true],
  ['GPL-2.0-only AND MIT OR ISC', true],
  ['GPL-2.0-only AND (MIT OR ISC)', false],
  ['MIT and ISC', true],
  ['MIT and GPL-2.0-only', false],
  ['GPL-2.0-only WITH Classpath-exception-2.0', false],
  ['MIT WITH Classpath-exception-2.0', false],
  ['SEE LICENSE IN LICENSE.md', false],
  ['(MIT', false],
  ['MIT ISC', false],
  ['', false],
])('the expression "%s" is allowed: %s', (expression, isExpected) => {
  expect(isAllowed(expression, ['MIT', 'ISC'])).toBe(isExpected);
});

test('the table has a column for each of package, version, licence and use', () => {
  const table = licenseTable([
    { name: 'long-name', version: '1.0.0', license: 'MIT', use: 'distributed' },
    { name: 'a', version: '10.0.0', license: 'Apache-2.0', use: 'tool' },
  ]);
  expect(table).toBe(
    'package    version  licence     use\nlong-name  1.0.0    MIT         distributed\na          10.0.0   Apache-2.0  tool\n',
  );
});
