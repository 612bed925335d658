import { join } from 'node:path';
import { expect, test } from 'vitest';
import { root } from './imports.ts';

interface Package {
  folder: string;
  name: string;
  dependencies: string[];
}

interface AffectedTests {
  affectedPackages(given: { packages: Package[]; changed: string[] }): string[];
  affectedFolders(given: { folders: string[]; changed: string[] }): string[];
}

const { affectedFolders, affectedPackages }: AffectedTests = await import(
  join(root, 'scripts', 'affected.mjs')
);

const packages = [
  { folder: 'shared/contracts', name: 'contracts', dependencies: [] },
  { folder: 'shared/runtime', name: 'runtime', dependencies: ['contracts', 'pino'] },
  { folder: 'services/catalog', name: 'catalog', dependencies: ['runtime'] },
  { folder: 'engines/statistics', name: 'statistics', dependencies: [] },
];

test('a change asks for the tests of its package and of all that depend on it, however far', () => {
  expect(affectedPackages({ packages, changed: ['shared/contracts/all.ts'] })).toEqual([
    'services/catalog',
    'shared/contracts',
    'shared/runtime',
  ]);
  expect(affectedPackages({ packages, changed: ['engines/statistics/normal.ts'] })).toEqual([
    'engines/statistics',
  ]);
});

test('a change outside of the packages asks for the tests of none', () => {
  expect(affectedPackages({ packages, changed: ['README.md', 'shared/contracts.md'] })).toEqual([]);
});

test('a folder of tests is run when a file of it changed', () => {
  const folders = ['test/console/', 'test/system/'];
  expect(affectedFolders({ folders, changed: ['test/system/tenants.test.ts'] })).toEqual([
    'test/system/',
  ]);
});
