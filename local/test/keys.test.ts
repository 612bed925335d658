import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { keysFile, keysFileOf } from '@assay/runtime/keys';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { processNames } from '../src/keys/write-keys.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-keys-'));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

/** Runs `npm run keys --`, which builds nothing here. */
const keys = (
  args: string[],
  environment: Record<string, string> = {},
): Promise<{ code: number; out: string; err: string }> =>
  new Promise((resolve) => {
    const { PATH = '' } = process.env;
    execFile(
      process.execPath,
      ['dist/bundle/keys.js', ...args],
      { cwd: root, env: { PATH, ...environment } },
      (error, out, err) => resolve({ code: Number(error?.code ?? 0), out, err }),
    );
  });

const ownOf = async (name: string): Promise<string[]> =>
  keysFile.parse(JSON.parse(await readFile(keysFileOf(join(folder, 'keys'), name), 'utf8'))).own;

test('each process gets a file that its owner alone may read, and a repeat changes nothing', async () => {
  const args = [join(folder, 'keys'), '--root', join(folder, 'root')];
  const { code, out } = await keys(args);
  expect([code, out]).toEqual([0, expect.stringContaining(`The keys of ${processNames.length} `)]);
  expect((await readdir(join(folder, 'keys'))).toSorted()).toEqual(
    processNames.map((name) => `${name}.json`).toSorted(),
  );
  const files = [...processNames.map((name) => keysFileOf(join(folder, 'keys'), name))];
  for (const file of [...files, join(folder, 'root', 'root.json')])
    expect((await stat(file)).mode & 0o777).toBe(0o600);
  const before = await Promise.all(processNames.map(ownOf));
  expect(new Set(before.flat()).size).toBe(processNames.length);
  await keys(args);
  expect(await Promise.all(processNames.map(ownOf))).toEqual(before);
});

test('a new root is added, used, and the one before dropped', async () => {
  const step = (name: string) => keys([join(folder, 'keys'), name, '--root', join(folder, 'root')]);
  const [first] = await ownOf('catalog');
  expect((await step('use')).err).toBe('There is one root: `add` makes another.\n');
  await step('add');
  const [signing, second] = await ownOf('catalog');
  expect(signing).toBe(first);
  await step('use');
  expect(await ownOf('catalog')).toEqual([second, first]);
  expect((await step('drop')).out).toContain('The new root alone is accepted.');
  expect(await ownOf('catalog')).toEqual([second]);
});

test('containers get a folder each, and nats-server the users with what the operator says', async () => {
  const args = [join(folder, 'each'), '--folders', '--nats', join(folder, 'nats', 'users.conf')];
  expect(await keys(args)).toMatchObject({
    code: 1,
    err: expect.stringContaining('NATS_PASSWORD is not set'),
  });
  await keys(args, { NATS_PASSWORD: 'p"q', SUBJECT_PREFIX: 'mine' });
  const text = await readFile(keysFileOf(join(folder, 'each', 'catalog'), 'catalog'), 'utf8');
  const { nats, mongodb } = keysFile.parse(JSON.parse(text));
  expect(mongodb).toBeUndefined();
  const users = await readFile(join(folder, 'nats', 'users.conf'), 'utf8');
  expect(users).toContain('{ user: "assay", password: "p\\"q" }');
  expect(users).toContain(`{ user: "assay-catalog", password: "${nats!.password}", permissions`);
  expect(users).toContain('"mine.question.catalog.>"');
});

test('the users of NATS are in a file that its owner alone may read, unless it is for containers', async () => {
  const modeOf = async (...more: string[]) => {
    const file = join(folder, 'modes', `users-${more.length}.conf`);
    const args = [join(folder, 'modes'), ...more, '--nats', file];
    expect((await keys(args, { NATS_PASSWORD: 'p' })).code).toBe(0);
    return (await stat(file)).mode & 0o777;
  };
  expect([await modeOf(), await modeOf('--folders')]).toEqual([0o600, 0o644]);
});

test('a root that cannot be read is told, and never replaced', async () => {
  const file = join(folder, 'root', 'root.json');
  await writeFile(file, '{}');
  expect(await keys([join(folder, 'keys'), '--root', join(folder, 'root')])).toMatchObject({
    code: 1,
    err: `${file} does not hold the root of keys: put the file of a backup in its place, or remove it for new keys.\n`,
  });
  expect(await readFile(file, 'utf8')).toBe('{}');
});
