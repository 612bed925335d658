import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ServiceName, serviceNames, urlVariable } from '@assay/contracts/all';
import { keepAdminKey } from '@assay/local/organization';
import { createLog } from '@assay/runtime/log';
import { testConfig } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { followEvents, type ServerSentEvent } from '@assay/testing/server-sent-events';
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

test('a key that is revoked at one gateway ends at the other within a second', async () => {
  const [first, second] = calls as [Call, Call];
  const created = (await first('POST', '/api-keys', { name: 'short' })).body;
  for (const call of calls)
    expect((await call('GET', '/projects', undefined, { key: created.key })).status).toBe(200);
  await first('DELETE', `/api-keys/${created.id}`);
  await poll(
    'the key ends',
    async () => (await second('GET', '/projects', undefined, { key: created.key })).status === 401,
    1000,
  );
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
  const following = followRun(run.id, { through: [passing.url, ...gateways], scores: 300 });

  const send = (index: number) =>
    poll(
      'the record is acknowledged',
      async () => {
        const body = { inputs: { index }, expected: { answer: 'a' }, outputs: { answer: 'a' } };
        const reply = await call('POST', `/runs/${run.id}/records`, body, {
          headers: { 'idempotency-key': `kill-${run.id}-${index}` },
        });
        return reply.status === 201 && reply.body.id;
        // What the killed process had begun is undone by MongoDB after ten seconds or so, and
        // blocks its repeat until then.
      },
      60_000,
    );
  const sending = Array.from({ length: 300 }, (_, index) => index);
  const ids: string[] = [];
  const worker = async () => {
    for (let index = sending.shift(); index !== undefined; index = sending.shift()) {
      if (index === 30) await passing.stop();
      if (index === 60) await victim.kill();
      ids.push(await send(index));
    }
  };
  await Promise.all(Array.from({ length: 16 }, worker));

  expect(new Set(ids).size).toBe(300);
  const account = await poll(
    'all is scored',
    async () => {
      const { numRecords, scoring } = (await call('GET', `/runs/${run.id}`)).body;
      return scoring.pending === 0 && { numRecords, scoring };
    },
    60_000,
  );
  expect(account).toEqual({
    numRecords: 300,
    scoring: { expected: 300, scored: 300, failed: 0, pending: 0 },
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
