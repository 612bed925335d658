import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { testConfig } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { expect, onTestFinished, test } from 'vitest';
import { parse } from 'yaml';
import { root } from './imports.ts';
import { environmentOf } from './system/processes.ts';

const node = (script: string, ...args: string[]) =>
  execFileSync(process.execPath, [join(root, script), ...args], { stdio: 'pipe' });

const lists = [
  ...[
    'package.json',
    'tsconfig.json',
    'tsconfig.base.json',
    'tsconfig.check.json',
    'docker-compose.yml',
    '.env.example',
  ],
  ...['local/package.json', 'local/tsconfig.json', 'local/src/services.ts'],
  'bench/src/neighbours/operations.ts',
];

/**
 * The shared packages and the lists of services, in a folder of their own that finds the installed
 * packages.
 */
function copyOfTheShape(): string {
  const folder = mkdtempSync(join(tmpdir(), 'assay-new-service-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  cpSync(join(root, 'shared'), join(folder, 'shared'), {
    recursive: true,
    filter: (source) => !/\/(node_modules|dist)$/.test(source),
  });
  for (const path of lists) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    cpSync(join(root, path), join(folder, path));
  }
  mkdirSync(join(folder, 'node_modules', '@assay'), { recursive: true });
  for (const installed of readdirSync(join(root, 'node_modules')).filter(
    (name) => name !== '@assay',
  ))
    symlinkSync(join(root, 'node_modules', installed), join(folder, 'node_modules', installed));
  for (const name of ['contracts', 'json', 'runtime'])
    symlinkSync(join(folder, 'shared', name), join(folder, 'node_modules', '@assay', name));
  return folder;
}

test('a new service has the files of every other, is on the lists, passes the type check, starts, and is made once', async () => {
  const folder = copyOfTheShape();
  node('scripts/new-service.mjs', 'spare-parts', folder);

  const filesOf = (service: string) => readdirSync(service, { recursive: true }).map(String);
  expect(filesOf(join(folder, 'services/spare-parts')).toSorted()).toEqual(
    [
      ...['README.md', 'package.json', 'src', 'test', 'test/service.test.ts', 'tsconfig.json'],
      ...['bus', 'domain', 'main', 'migrations', 'routes', 'service', 'store'].map(
        (name) => `src/${name}.ts`,
      ),
    ].toSorted(),
  );
  const { references } = JSON.parse(readFileSync(join(folder, 'tsconfig.json'), 'utf8'));
  expect(references).toContainEqual({ path: 'services/spare-parts' });
  const read = (path: string) => readFileSync(join(folder, path), 'utf8');
  expect(read('shared/contracts/all.ts')).toMatch(/, spareParts\] as const;$/m);
  expect(read('local/src/services.ts')).toContain(
    "'spare-parts': () => startSpareParts(config, log),",
  );
  expect(JSON.parse(read('local/package.json')).dependencies).toHaveProperty([
    '@assay/spare-parts',
  ]);
  expect(JSON.parse(read('local/tsconfig.json')).references).toContainEqual({
    path: '../services/spare-parts',
  });
  expect(read('.env.example')).toContain('\n# SPARE_PARTS_URL=\n');
  const { services } = parse(read('docker-compose.yml'), { merge: true });
  expect(services['spare-parts'].build.args).toEqual({ SERVICE: 'spare-parts' });
  expect(services['spare-parts'].volumes).toMatchObject([{ volume: { subpath: 'spare-parts' } }]);
  expect(read('shared/contracts/erasing-services.ts')).toContain("  'spare-parts',\n");
  expect(read('shared/contracts/permissions.ts')).toContain("  'spare-parts': Permissions<");
  expect(read('bench/src/neighbours/operations.ts')).toContain('  pingSpareParts: ');
  expect(services.gateway.environment.SPARE_PARTS_URL).toBe('http://spare-parts:8080');
  expect(services.gateway.depends_on).toHaveProperty(['spare-parts']);

  const check = {
    extends: './tsconfig.check.json',
    include: ['services/spare-parts/src', 'shared/contracts'],
  };
  writeFileSync(join(folder, 'tsconfig.new.json'), JSON.stringify(check));
  node('node_modules/typescript/bin/tsc', '-p', join(folder, 'tsconfig.new.json'));

  expect(() => node('scripts/new-service.mjs', 'spare-parts', folder)).toThrow(
    'There is a service "spare-parts" already.',
  );
  expect(await livezOf(folder)).toBe(200);
});

/** Bundles the service's program, starts it and asks whether it is alive. */
async function livezOf(folder: string): Promise<number> {
  const config = testConfig();
  const { PATH = '' } = process.env;
  const bundling = `
    const { bundlePrograms } = await import('./scripts/bundle.mjs');
    const { programsIn } = await import('./scripts/programs.mjs');
    const { 'spare-parts': program } = programsIn(process.argv[1]);
    await bundlePrograms({ folder: process.argv[1], programs: { 'spare-parts': program } });`;
  execFileSync(process.execPath, ['--input-type=module', '--eval', bundling, folder], {
    cwd: root,
    stdio: 'pipe',
  });
  // No keys were made for it.
  const secret = { ASSAY_KEYS_FOLDER: '', ASSAY_SECRET: 'x'.repeat(32) };
  const env = { PATH, ...environmentOf(config, 'spare-parts'), ...secret };
  const child = spawn(process.execPath, ['dist/bundle/spare-parts.js'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const exited = once(child, 'exit');
  onTestFinished(async () => {
    child.kill();
    await exited;
    await dropData(config);
  });
  for await (const line of createInterface({ input: child.stdout })) {
    const { msg, url } = JSON.parse(line) as { msg: string; url: string };
    if (msg === 'ready') return (await fetch(`${url}/livez`)).status;
  }
  throw new Error('the service ended before it was ready');
}
