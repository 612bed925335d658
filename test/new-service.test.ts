import { execFileSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { root } from './imports.ts';

const node = (script: string, ...args: string[]) => execFileSync(process.execPath, [join(root, script), ...args], { stdio: 'pipe' });

/** The shared packages and the lists of packages, in a folder of their own that finds what is installed. */
function copyOfTheShape(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-new-service-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  for (const path of ['shared', 'tsconfig.json', 'tsconfig.base.json', 'tsconfig.check.json'])
    cpSync(join(root, path), join(folder, path), { recursive: true, filter: (source) => !/\/(node_modules|dist)$/.test(source) });
  mkdirSync(join(folder, 'node_modules', '@assay'), { recursive: true });
  for (const installed of readdirSync(join(root, 'node_modules')).filter((name) => name !== '@assay'))
    symlinkSync(join(root, 'node_modules', installed), join(folder, 'node_modules', installed));
  for (const name of ['contracts', 'runtime']) symlinkSync(join(folder, 'shared', name), join(folder, 'node_modules', '@assay', name));
  return folder;
}

test('a new service has the files of every other, is on the lists, passes the type check, and is made once', () => {
  const folder = copyOfTheShape();
  node('scripts/new-service.mjs', 'spare-parts', folder);

  const filesOf = (service: string) => readdirSync(service, { recursive: true }).map(String);
  expect(filesOf(join(folder, 'services/spare-parts')).toSorted()).toEqual(
    [
      ...['README.md', 'package.json', 'src', 'test', 'test/service.test.ts', 'tsconfig.json'],
      ...['bus', 'domain', 'main', 'migrations', 'routes', 'service', 'store'].map((name) => `src/${name}.ts`),
    ].toSorted(),
  );
  const { references } = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8'));
  expect(references).toContainEqual({ path: 'services/spare-parts' });
  expect(readFileSync(join(folder, 'shared/contracts/all.ts'), 'utf8')).toMatch(/, spareParts\];$/m);

  const check = { extends: './tsconfig.check.json', include: ['services/spare-parts/src', 'shared/contracts'] };
  writeFileSync(join(folder, 'tsconfig.new.json'), JSON.stringify(check));
  node('node_modules/typescript/bin/tsc', '-p', join(folder, 'tsconfig.new.json'));

  expect(() => node('scripts/new-service.mjs', 'spare-parts', folder)).toThrow('There is a service "spare-parts" already.');
});
