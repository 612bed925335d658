import { start as startCatalog } from '@assay/catalog/service';
import { start as startIdentity } from '@assay/identity/service';
import { start as startMetrics } from '@assay/metrics/service';
import type { RunRecordsConfig } from '@assay/run-records/config';
import { start as startRunRecords } from '@assay/run-records/service';
import { createLog } from '@assay/runtime/log';
import { start as startScoring } from '@assay/scoring/service';
import { start as startSystems } from '@assay/systems/service';
import { start as startTestcases } from '@assay/testcases/service';
import { poll, pollAtMost } from '@assay/testing/poll';
import { startTcpProxy, type TcpProxy } from '@assay/testing/tcp-proxy';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createDice, isWhole, report, seed } from './seed.ts';

/**
 * Every wait inside has a bound: 3 s for a question, 3 s for a connection to MongoDB, 13 s to find
 * one dead, 10 s for a transaction.
 */
const answerMaxMs = 60_000;
const recoveryMaxMs = 60_000;

let toMongodb: TcpProxy;
let toNats: TcpProxy;
let world: World;
let metricId: string;
let projectId: string;

/**
 * Faults that nobody foresaw, as the services logged them: shown with the answer that tells nothing
 * of them.
 */
const unforeseen: string[] = [];
const log = createLog({
  name: 'test',
  level: 'error',
  destination: { write: (line) => void unforeseen.push(line) },
});

beforeAll(async () => {
  const { mongodbUri, natsUrl } = inject('servers');
  toMongodb = await startTcpProxy(mongodbUri);
  toNats = await startTcpProxy(natsUrl);
  const throughProxy = (url: string, { port }: TcpProxy) =>
    Object.assign(new URL(url), { hostname: '127.0.0.1', port: String(port) });
  const uri = throughProxy(mongodbUri, toMongodb);
  // Else the driver would ask the set for its members, and go past us.
  uri.searchParams.set('directConnection', 'true');
  // As in production: a server that cannot be reached is given up after 3 s.
  for (const name of ['serverSelectionTimeoutMS', 'connectTimeoutMS'])
    uri.searchParams.delete(name);
  const disturbed = {
    MONGODB_URI: String(uri),
    NATS_URL: [String(throughProxy(natsUrl, toNats))],
    QUESTION_TIMEOUT_MS: 3000,
  };
  world = await startWorld({
    services: {
      identity: startIdentity,
      catalog: startCatalog,
      testcases: startTestcases,
      systems: startSystems,
      metrics: startMetrics,
      'run-records': (config: RunRecordsConfig) =>
        startRunRecords({ ...config, ...disturbed }, log),
      scoring: (config: Parameters<typeof startScoring>[0]) =>
        startScoring({ ...config, ...disturbed }, log),
    },
    config: { SWEEP_INTERVAL_MS: 500, SWEEP_AFTER_MS: 3000 },
  });
  projectId = (await world.request('POST', '/projects', { name: 'p', description: '' })).body.id;
  const metric = {
    name: 'm',
    evalType: 'heuristic',
    outputType: 'boolean',
    builtin: { name: 'exact_match', options: {} },
  };
  metricId = (await world.request('POST', `/projects/${projectId}/metrics`, metric)).body.id;
});
afterAll(async () => {
  toMongodb.heal();
  toNats.heal();
  await world.stop();
  await toMongodb.close();
  await toNats.close();
});

let slowestMs = 0;

/**
 * Fails when there is no answer, not even a 503. Undefined when it broke off: a reply that has
 * begun cannot become a 503.
 */
async function request(...[method, path, body, options]: Parameters<World['request']>) {
  const startedAt = performance.now();
  let timer: NodeJS.Timeout | undefined;
  const hung = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () =>
        reject(
          new Error(`seed ${seed}: ${method} ${path} was not answered within ${answerMaxMs} ms`),
        ),
      answerMaxMs,
    );
  });
  try {
    const reply = await Promise.race([
      world.request(method, path, body, options).catch(noReply),
      hung,
    ]);
    if (reply && reply.status >= 300)
      expect([409, 503], [`${method} ${path}: ${reply.text}`, ...unforeseen].join('\n')).toContain(
        reply.status,
      );
    return reply;
  } finally {
    clearTimeout(timer);
    slowestMs = Math.max(slowestMs, performance.now() - startedAt);
  }
}

function noReply(error: unknown) {
  if (error instanceof TypeError) return undefined;
  throw error;
}

/** Clients that create records and runs, and read each record as soon as it is acknowledged. */
function startClients(runId: string) {
  const acknowledged = { records: new Set<string>(), runs: new Set<string>() };
  let next = 0;
  let isStopping = false;
  const failures: unknown[] = [];

  async function persist(path: string, body: object, key: string): Promise<string> {
    return poll(`POST ${path} is acknowledged`, async () => {
      const reply = await request('POST', path, body, { headers: { 'idempotency-key': key } });
      return reply && reply.status < 300 && reply.body.id;
    });
  }
  async function writeRecord(): Promise<void> {
    const index = next++;
    const size = index % 25 === 0 ? 300 * 1024 : 10;
    const body = {
      inputs: { index, text: 'x'.repeat(size) },
      expected: { answer: 'a' },
      outputs: { answer: 'a' },
    };
    const id = await persist(`/runs/${runId}/records`, body, `${runId}-${index}`);
    acknowledged.records.add(id);
    const reply = await request('GET', `/records/${id}`);
    if (reply?.status === 200) expect(reply.body).toMatchObject({ id, inputs: { index } });
  }
  async function createRun(): Promise<void> {
    acknowledged.runs.add(
      await persist(
        `/projects/${projectId}/runs`,
        { metricIds: [metricId] },
        `${runId}-run-${next++}`,
      ),
    );
  }
  const repeat = async (write: () => Promise<void>) => {
    try {
      while (!isStopping) {
        await write();
        await new Promise((resolve) => setTimeout(resolve, 20));
      }
    } catch (error) {
      failures.push(error);
    }
  };
  const working = [writeRecord, writeRecord, writeRecord, writeRecord, createRun, createRun].map(
    repeat,
  );
  const check = () => {
    if (failures.length > 0) throw failures[0];
  };
  return {
    acknowledged,
    counts: () => {
      check();
      return [acknowledged.records.size, acknowledged.runs.size] as const;
    },
    stop: async () => {
      isStopping = true;
      await Promise.all(working);
      check();
    },
  };
}

const dice = createDice('network');
const lastsMs = isWhole ? 20_000 : 2000;

/** Each way of failing, and for how long. */
const faults: [string, (way: TcpProxy) => void, () => number][] = [
  ['answers late', (way) => way.disturb({ kind: 'delay', ms: 20 + dice.below(200) }), () => 2000],
  ['cuts its connections and refuses new ones', refuse, () => dice.below(lastsMs)],
  ['half-closes its connections', (way) => way.end('half-close'), () => 500],
  ['resets its connections', (way) => way.end('reset'), () => 500],
  [
    'accepts and says nothing',
    (way) => way.disturb({ kind: 'silent' }),
    () => lastsMs / 2 + dice.below(lastsMs),
  ],
];

function refuse(way: TcpProxy): void {
  way.disturb({ kind: 'refuse' });
  way.end('cut');
}

/** `npm test` takes two of them for each server. */
const ofThisRun = () => (isWhole ? faults : dice.shuffle(faults).slice(0, 2));

test.each(
  [() => toMongodb, () => toNats].flatMap((way, index) =>
    ofThisRun().map(
      ([what, begin, howLongMs]) =>
        [index === 0 ? 'MongoDB' : 'NATS', what, way, begin, howLongMs] as const,
    ),
  ),
)(
  `%s %s: every request is answered, nothing acknowledged is missing, and all goes on by itself (seed ${seed})`,
  {
    timeout: 300_000,
  },
  async (server, what, wayTo, begin, howLongMs) => {
    const run = (
      await world.request('POST', `/projects/${projectId}/runs`, { metricIds: [metricId] })
    ).body;
    const clients = startClients(run.id);
    await pollAtMost(recoveryMaxMs, 'clients are at work', () =>
      clients.counts().every((count) => count > 3),
    );
    slowestMs = 0;
    begin(wayTo());
    await new Promise((resolve) => setTimeout(resolve, howLongMs()));
    wayTo().heal();
    const healedAt = performance.now();
    const [records, runs] = clients.counts();
    await pollAtMost(
      recoveryMaxMs,
      'both kinds of writes go on',
      () => clients.counts()[0] > records + 8 && clients.counts()[1] > runs + 4,
    );
    const recoveryMs = performance.now() - healedAt;
    await clients.stop();
    report(
      `${server} ${what}: slowest answer ${(slowestMs / 1000).toFixed(1)} s, writing goes on after ${(recoveryMs / 1000).toFixed(1)} s`,
    );

    const account = await pollAtMost(recoveryMaxMs, 'all is scored', async () => {
      const { status, body } = await world.request('GET', `/runs/${run.id}`);
      return (
        status === 200 &&
        body.scoring.pending === 0 && { numRecords: body.numRecords, ...body.scoring }
      );
    });
    const count = clients.acknowledged.records.size;
    expect(account).toEqual({
      numRecords: count,
      expected: count,
      scored: count,
      failed: 0,
      pending: 0,
    });
    for (const id of clients.acknowledged.runs)
      expect((await world.request('GET', `/runs/${id}`)).status).toBe(200);
  },
);
