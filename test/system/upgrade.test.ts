import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import { keepAdminKey } from '@assay/local/organization';
import { createFairSemaphore } from '@assay/runtime/concurrency/fair-semaphore';
import { createLog } from '@assay/runtime/log';
import { testConfig } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { evaluate } from './evaluation.ts';
import { type Call, callAt } from './installation.ts';
import { environmentOf, type ServiceProcess, startProcess } from './processes.ts';

const config = testConfig();
// Others are told where run-records is, which starts before them.
const names = [...serviceNames].sort(
  (a, b) => Number(b === 'run-records') - Number(a === 'run-records'),
);
const replicas = new Map<string, ServiceProcess[]>();
let folder: string;
let gateway: ServiceProcess;
let environment: Record<string, string>;
let call: Call;

const start = (name: string, more: Record<string, string> = {}) =>
  startProcess(name, { ...environmentOf(config, name), ...environment, ...more });

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-upgrade-'));
  environment = {
    ATTACHMENTS_FOLDER: join(folder, 'attachments'),
    PUBLIC_URL: 'http://127.0.0.1:1/v2',
  };
  for (const name of names) {
    const pair = await Promise.all([start(name), start(name)]);
    replicas.set(name, pair);
    environment[urlVariable(name)] = pair.map(({ url }) => url).join(',');
  }
  gateway = await start('gateway');
  const { key } = await keepAdminKey({
    folder,
    config,
    log: createLog({ name: 'test', level: 'silent' }),
  });
  call = callAt(gateway.url, key);
});

afterAll(async () => {
  await Promise.all([gateway, ...[...replicas.values()].flat()].map((each) => each.stop()));
  await dropData(config);
  await rm(folder, { recursive: true });
});

/** Ends one replica as an operator would, and starts another in its place. */
async function replace(
  name: string,
  index: number,
  more: Record<string, string> = {},
): Promise<void> {
  const pair = replicas.get(name)!;
  const { url, stop } = pair[index]!;
  await stop();
  pair[index] = await start(name, { PORT: new URL(url).port, ...more });
}

/** The warnings and errors of the processes that run, for the message of a failure. */
const complaints = (): string =>
  [gateway, ...[...replicas.values()].flat()]
    .flatMap(({ name, complaints }) => complaints.map((line) => `${name}: ${line}`))
    .join('\n');

/**
 * Reads, and writes that may be repeated, of every service, over and over, each sent once; gives
 * what failed.
 */
function startLoad({
  project,
  testset,
  testcases,
  metric,
  system,
  run,
}: Awaited<ReturnType<typeof evaluate>>) {
  const failures: string[] = [];
  let sent = 0;
  let goesOn = true;
  const send = async (method: string, path: string, body?: unknown) => {
    sent += 1;
    const headers: Record<string, string> =
      method === 'POST' ? { 'idempotency-key': `k${sent}` } : {};
    const reply = await call(method, path, body, { headers });
    if (reply.status >= 300) failures.push(`${method} ${path}: ${reply.status} ${reply.text}`);
    return reply.body;
  };
  const record = { inputs: {}, expected: { answer: 'a' }, outputs: { answer: 'a' } };
  const requests: [string, string, unknown?][] = [
    ['GET', '/organization'],
    ['GET', `/projects/${project.id}`],
    [
      'POST',
      `/projects/${project.id}/testsets`,
      {
        name: 't',
        description: '',
        jsonSchema: {},
        fieldMapping: { inputs: [], expected: [], metadata: [] },
      },
    ],
    ['GET', `/testsets/${testset.id}/testcases`],
    ['PUT', `/testcases/${testcases[0].id}`, { jsonData: { country: 'France', capital: 'Paris' } }],
    ['POST', `/testsets/${testset.id}/testcases`, { items: [{ jsonData: { country: 'x' } }] }],
    ['GET', `/systems/${system.id}`],
    ['POST', `/projects/${project.id}/systems`, { config: {} }],
    ['GET', `/metrics/${metric.id}`],
    ['GET', `/runs/${run.id}`],
    ['POST', `/runs/${run.id}/records`, record],
    ['POST', `/projects/${project.id}/runs`, { metricIds: [metric.id] }],
    ['GET', `/runs/${run.id}/summary`],
    ['GET', '/judges'],
    ['GET', '/sessions/s/attachments'],
    [
      'POST',
      '/attachments',
      {
        sessionId: 's',
        filePath: 'f',
        sha256: '0'.repeat(64),
        sizeBytes: 1,
        contentType: 'text/plain',
      },
    ],
  ];
  const worker = async (first: number) => {
    for (let turn = first; goesOn; turn++) {
      await send(...requests[turn % requests.length]!);
      // Fifty requests a second find every gap; more would only make the starting processes wait
      // for the processor.
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const working = Promise.all(Array.from({ length: 6 }, (_, index) => worker(index * 3)));
  const stop = async () => {
    goesOn = false;
    await working;
    return { failures, sent };
  };
  return { stop };
}

test('every replica of every service is restarted, one after the other, without one failed request', async () => {
  const load = startLoad(await evaluate(call));
  // Two services at a time: they wait less for each other than for the clients beside them.
  const withPermit = createFairSemaphore({ permits: 2 });
  const replacePair = async (name: string) => {
    for (const index of [0, 1]) await replace(name, index);
  };
  await Promise.all(names.map((name) => withPermit('test', () => replacePair(name))));
  const { failures, sent } = await load.stop();
  expect(failures, complaints()).toEqual([]);
  expect(sent).toBeGreaterThan(names.length * 2);
});

test('a process of the next release migrates beside one of this release, and both serve; and this release can come back', async () => {
  const evaluation = await evaluate(call);
  const load = startLoad(evaluation);
  const nextRelease = pathToFileURL(
    fileURLToPath(new URL('next-release.mjs', import.meta.url)),
  ).href;
  await replace('catalog', 0, { NODE_OPTIONS: `--import=${nextRelease}` });
  const [next, old] = replicas.get('catalog')!.map(({ url }) => url);
  expect(next).not.toBe(old);
  const project = (await call('POST', '/projects', { name: 'beside', description: '' })).body;
  await poll('both have answered', async () => {
    const counts = await Promise.all(
      [next, old].map(async (url) => (await fetch(`${url}/metrics`)).text()),
    );
    return counts.every((text) =>
      /assay_operation_seconds_count\{[^}]*operation="getProject"[^}]*\} [1-9]/.test(text),
    );
  });
  expect((await call('GET', `/projects/${project.id}`)).body).toMatchObject({ name: 'beside' });
  expect((await call('GET', `/projects/${evaluation.project.id}`)).body).not.toHaveProperty(
    'ofTheNextRelease',
  );
  await replace('catalog', 0);
  expect((await call('GET', `/projects/${project.id}`)).body).toMatchObject({ name: 'beside' });
  expect((await load.stop()).failures, complaints()).toEqual([]);
});
