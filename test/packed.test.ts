import { execFileSync } from 'node:child_process';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import type { OperatorConfig, ServiceConfig } from '@assay/runtime/config';
import { startWorld } from '@assay/testing/world';
import { expect, onTestFinished, test } from 'vitest';
import { root } from './imports.ts';
import { environmentOf, startProcess } from './system/processes.ts';

/** What an image holds of a program, in a folder from which no package of the repository is found. */
async function pack(name: string): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), 'assay-packed-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  execFileSync(process.execPath, [join(root, 'scripts/image.mjs'), 'pack', name, folder]);
  return folder;
}

test('a packed service holds its bundle and the packages beside it, and answers, its threads too', async () => {
  const folder = await pack('catalog');
  expect((await readdir(folder)).toSorted()).toEqual([
    'LICENSE',
    'dist',
    'node_modules',
    'process.js',
  ]);
  const packages = await readdir(join(folder, 'node_modules'));
  expect(packages).toContain('mongodb');
  expect(packages).not.toContain('fastify');
  const bundle = await readdir(join(folder, 'dist/bundle'));
  expect(bundle).toContain('LICENSES.txt');
  expect(bundle).not.toContain('gateway.js');

  const start = (config: ServiceConfig & OperatorConfig) =>
    startProcess('catalog', environmentOf(config, 'catalog'), { folder, program: 'process.js' });
  await using world = await startWorld({ services: { catalog: start } });
  const { id } = await world.create('/projects', { name: 'Packed', description: '' });
  const refused = await world.request('POST', `/projects/${id}/testsets`, {
    name: 'Questions',
    description: '',
    jsonSchema: { type: 'object', properties: { question: { type: 'strong' } } },
    fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
  });
  expect([refused.status, refused.text]).toEqual([
    400,
    expect.stringContaining('/jsonSchema/properties/question/type'),
  ]);
});

test('a packed gateway serves the console, the packages for clients and the documentation', async () => {
  const folder = await pack('gateway');
  const nowhere = 'http://127.0.0.1:1';
  await using world = await startWorld({ services: {} });
  const gateway = await startProcess(
    'gateway',
    {
      ...environmentOf(world.config, 'gateway'),
      ...Object.fromEntries(serviceNames.map((name) => [urlVariable(name), nowhere])),
    },
    { folder, program: 'process.js' },
  );
  onTestFinished(() => gateway.stop());
  const get = async (path: string) => {
    const reply = await fetch(`${gateway.url}${path}`, { headers: { accept: 'text/html' } });
    return [reply.status, await reply.text()];
  };
  expect(await get('/')).toEqual([200, expect.stringContaining('<title>Assay</title>')]);
  expect(await get('/docs/')).toEqual([200, expect.stringContaining('Assay documentation')]);
  expect(await get('/docs/guides/operations')).toEqual([
    200,
    expect.stringContaining('Separate processes'),
  ]);
  expect((await fetch(`${gateway.url}/sdk/assay.tgz`)).status).toBe(200);
});
