import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Client, createClient } from '@assay/client/client';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type SharedInstallation, shareInstallation } from '../../test/system/installation.ts';
import { runAssay } from './command.ts';

let assay: SharedInstallation;
let client: Client;
let folder: string;
let project: string;

beforeAll(async () => {
  assay = await shareInstallation();
  client = createClient({ url: `${assay.url}/v2`, key: assay.key });
  folder = await mkdtemp(join(tmpdir(), 'assay-project-'));
  project = await create('/projects', { name: 'Support', description: '' });
  const run = await create(`/projects/${project}/runs`, { metricIds: [] });
  await create(`/runs/${run}/records`, { inputs: {}, expected: {}, outputs: { n: 1 } });
});
afterAll(() => rm(folder, { recursive: true }));

const create = async (path: string, body: unknown): Promise<string> =>
  (await client.request<{ id: string }>('POST', path, body)).id;

/** A command with the key in the environment. */
const ask = (...args: string[]) =>
  runAssay(args, {
    folder,
    environment: { ASSAY_URL: assay.url, ASSAY_API_KEY: assay.key, XDG_CONFIG_HOME: folder },
  });

async function askJson(...args: string[]) {
  const result = await ask(...args, '--json');
  expect(result.exitCode, result.stderr).toBe(0);
  return JSON.parse(result.stdout);
}

test('a whole project is exported to a file, and imported from it as another project', async () => {
  const output = join(folder, 'project.ndjson');
  expect(await askJson('export', 'Support', '--output', output)).toMatchObject({
    kind: 'project',
    id: project,
    bytes: (await stat(output)).size,
  });
  const imported = await askJson('import', output, '--project', 'Moved');
  expect(imported.counts).toMatchObject({ project: 1, run: 1, record: 1 });
  const moved = await client.request<{ name: string }>('GET', `/projects/${imported.projectId}`);
  expect(moved.name).toBe('Moved');
  const told = await ask('import', output);
  expect(told.stdout).toMatch(
    /^Imported the project [0-9a-f-]+: 1 runs, 1 records, 0 testcases\.\n$/,
  );
});

test('a project whose file was cut off is refused, and so are options that it does not take', async () => {
  const { stdout } = await ask('export', project);
  const file = join(folder, 'cut.ndjson');
  await writeFile(file, stdout.slice(0, -100));
  const cut = await ask('import', file);
  expect(cut).toMatchObject({ exitCode: 2, stdout: '' });
  expect(cut.stderr).toContain('Nothing was imported');
  const wrong = await ask('import', file, '--dry-run');
  expect(wrong.exitCode).toBe(2);
  expect(wrong.stderr).toContain('is an exported project, which is imported as it is');
});
