import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { type ServiceName, serviceNames, urlVariable } from '@assay/contracts/all';
import { keepAdminKey } from '@assay/local/organization';
import { createFairSemaphore } from '@assay/runtime/concurrency/fair-semaphore';
import { createLog } from '@assay/runtime/log';
import { testConfig } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { followEvents, type ServerSentEvent } from '@assay/testing/server-sent-events';
import { volume } from '@assay/testing/volume';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { evaluate } from './evaluation.ts';
import { type Call, callAt } from './installation.ts';
import { environmentOf, type ServiceProcess, startProcess } from './processes.ts';

const config = testConfig();
const processes: ServiceProcess[] = [];
let folder: string;
let environment: Record<string, string>;
let urls: Record<string, string>;
let gateways: string[];
let key: string;
let calls: Call[];

async function start(name: string, more: Record<string, string> = {}) {
  const started = await startProcess(name, {
    ...environmentOf(config, name),
    ...environment,
    ...more,
  });
  processes.push(started);
  return started;
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-processes-'));
  environment = {
    ATTACHMENTS_FOLDER: join(folder, 'attachments'),
    PUBLIC_URL: 'http://127.0.0.1:1/v2',
    SWEEP_INTERVAL_MS: '500',
    SWEEP_AFTER_MS: '2000',
  };
  const pairOf = async (name: ServiceName) => {
    const pair = await Promise.all([start(name, urls), start(name, urls)]);
    urls[urlVariable(name)] = pair.map(({ url }) => url).join(',');
  };
  urls = {};
  // Others are told where run-records is, traces where testcases is too, and transfers where all are.
  const first = ['run-records', 'testcases'];
  const last = ['traces', 'transfers'];
  await Promise.all(serviceNames.filter((name) => first.includes(name)).map(pairOf));
  const others = serviceNames.filter((name) => ![...first, ...last].includes(name));
  await Promise.all([...others, 'traces' as const].map(pairOf));
  await pairOf('transfers');
  gateways = (await Promise.all([start('gateway', urls), start('gateway', urls)])).map(
    ({ url }) => url,
  );
  key = (await keepAdminKey({ folder, config, log: createLog({ name: 'test', level: 'silent' }) }))
    .key;
  calls = gateways.map((url) => callAt(url, key));
});

afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await dropData(config);
  await rm(folder, { recursive: true });
});

/** Every request through the other gateway than the one before. */
function alternating(): Call {
  let turn = 0;
  return (...request) => calls[turn++ % calls.length]!(...request);
}

test('an evaluation works through two gateways and two replicas of every service', async () => {
  const { summary } = await evaluate(alternating());
  expect(summary.metrics[0]).toMatchObject({ count: 4, failed: 0, passRate: 0.75 });
});

test('a key that is revoked at one gateway ends at the other', async () => {
  const [first, second] = calls as [Call, Call];
  const created = (await first('POST', '/api-keys', { name: 'short' })).body;
  for (const call of calls)
    expect((await call('GET', '/projects', undefined, { key: created.key })).status).toBe(200);
  await first('DELETE', `/api-keys/${created.id}`);
  await poll(
    'the key ends',
    async () => (await second('GET', '/projects', undefined, { key: created.key })).status === 401,
  );
});

/** The processes of a service, of which each keeps its place when it is replaced. */
const replicasOf = (name: string): ServiceProcess[] =>
  processes.filter((each) => each.name === name);

/** Ends one replica as an operator would, and starts another in its place. */
async function replace(
  name: string,
  index: number,
  { more = {}, program }: { more?: Record<string, string>; program?: string } = {},
): Promise<void> {
  const replaced = replicasOf(name)[index]!;
  await replaced.stop();
  const port = new URL(replaced.url).port;
  const started = await startProcess(
    name,
    { ...environmentOf(config, name), ...environment, ...urls, PORT: port, ...more },
    { program },
  );
  processes[processes.indexOf(replaced)] = started;
}

/** The warnings and errors of the processes that run, for the message of a failure. */
const complaints = (): string =>
  processes
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
  const call = alternating();
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
      // Fifty requests a second find every gap, and half as many those of most services; more
      // would only make the starting processes wait for the processor.
      await new Promise((resolve) => setTimeout(resolve, 100));
    }
  };
  const working = Promise.all(
    Array.from({ length: volume(6, 3) }, (_, index) => worker(index * 3)),
  );
  const stop = async () => {
    goesOn = false;
    await working;
    return { failures, sent };
  };
  return { stop };
}

test('every replica of every service is restarted, one after the other, without one failed request', async () => {
  const load = startLoad(await evaluate(alternating()));
  // Two services at a time: they wait less for each other than for the clients beside them.
  const withPermit = createFairSemaphore({ permits: 2 });
  const replacePair = async (name: string) => {
    for (const index of [0, 1]) await replace(name, index);
  };
  await Promise.all(serviceNames.map((name) => withPermit('test', () => replacePair(name))));
  const { failures, sent } = await load.stop();
  expect(failures, complaints()).toEqual([]);
  expect(sent).toBeGreaterThan(serviceNames.length * 2);
});

test('a process of the next release migrates beside one of this release, and both serve; and this release can come back', async () => {
  const call = alternating();
  const evaluation = await evaluate(call);
  const load = startLoad(evaluation);
  const nextRelease = pathToFileURL(
    fileURLToPath(new URL('next-release.mjs', import.meta.url)),
  ).href;
  // Not the bundle: one module of it is replaced.
  await replace('catalog', 0, {
    more: { NODE_OPTIONS: `--import=${nextRelease}` },
    program: 'services/catalog/dist/main.js',
  });
  const [next, old] = replicasOf('catalog').map(({ url }) => url);
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

/**
 * Follows a run through one gateway after the other, from the last event that was heard, until all
 * its scores are there.
 */
async function followRun(
  runId: string,
  { through, scores }: { through: string[]; scores: number },
): Promise<ServerSentEvent[]> {
  const heard: ServerSentEvent[] = [];
  for (let turn = 0; ; turn++) {
    const last = heard.at(-1);
    const headers = {
      authorization: `Bearer ${key}`,
      ...(last ? { 'last-event-id': last.id } : {}),
    };
    try {
      for await (const event of followEvents(
        `${through[turn % through.length]}/v2/runs/${runId}/events`,
        headers,
      )) {
        heard.push(event);
        if (event.event === 'completed' && event.data.scored === scores) return heard;
      }
    } catch {
      // The connection broke: on to the next gateway.
    }
  }
}

test('a replica that is killed while records come in loses none that was acknowledged, and doubles none; events go on elsewhere', async () => {
  const count = volume(300, 120);
  const call = alternating();
  const project = (await call('POST', '/projects', { name: 'kill', description: '' })).body;
  const metric = (
    await call('POST', `/projects/${project.id}/metrics`, {
      name: 'm',
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'exact_match', options: {} },
    })
  ).body;
  const run = (await call('POST', `/projects/${project.id}/runs`, { metricIds: [metric.id] })).body;
  const victim = processes.find(({ name }) => name === 'run-records')!;
  const passing = await start('gateway', urls);
  const following = followRun(run.id, { through: [passing.url, ...gateways], scores: count });

  const send = (index: number) =>
    poll('the record is acknowledged', async () => {
      const body = { inputs: { index }, expected: { answer: 'a' }, outputs: { answer: 'a' } };
      const reply = await call('POST', `/runs/${run.id}/records`, body, {
        headers: { 'idempotency-key': `kill-${run.id}-${index}` },
      });
      return reply.status === 201 && reply.body.id;
      // What the killed process had begun is undone by MongoDB after ten seconds or so, and
      // blocks its repeat until then.
    });
  const sending = Array.from({ length: count }, (_, index) => index);
  const ids: string[] = [];
  const worker = async () => {
    for (let index = sending.shift(); index !== undefined; index = sending.shift()) {
      if (index === 30) await passing.stop();
      if (index === 60) await victim.kill();
      ids.push(await send(index));
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));

  expect(new Set(ids).size).toBe(count);
  const account = await poll('all is scored', async () => {
    const { numRecords, scoring } = (await call('GET', `/runs/${run.id}`)).body;
    return scoring.pending === 0 && { numRecords, scoring };
  });
  expect(account).toEqual({
    numRecords: count,
    scoring: { expected: count, scored: count, failed: 0, pending: 0 },
  });
  const heard = await following;
  const changes = heard.map(({ id }) => Number.parseInt(id, 10));
  expect(changes).toEqual(changes.toSorted((left, right) => left - right));
  expect(new Set(heard.map(({ id }) => id)).size).toBe(heard.length);
  for (const { data } of heard)
    expect(data.expected).toBe(Number(data.scored) + Number(data.failed) + Number(data.pending));
});

test('a service of which no replica is left is a 503 for it alone, and comes back by itself', async () => {
  const call = alternating();
  for (const each of processes.filter(({ name }) => name === 'systems')) await each.kill();
  const path = '/systems/00000000-0000-7000-8000-000000000000';
  const away = await call('GET', path);
  expect([away.status, away.body.code, away.headers.get('retry-after')]).toEqual([
    503,
    'SERVICE_UNAVAILABLE',
    '1',
  ]);
  expect((await call('GET', '/projects')).status).toBe(200);
  await start('systems', { PORT: new URL(urls.SYSTEMS_URL!.split(',')[0]!).port });
  await poll('systems answers', async () => (await call('GET', path)).status === 404);
});
