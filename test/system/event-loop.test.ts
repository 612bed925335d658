import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { constants, gzipSync } from 'node:zlib';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import { keepAdminKey } from '@assay/local/organization';
import { freePort } from '@assay/local/port';
import { processorUse } from '@assay/runtime/concurrency/processor-time';
import { newId } from '@assay/runtime/ids';
import { createLog } from '@assay/runtime/log';
import { testConfig } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { volume } from '@assay/testing/volume';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectAgent } from '../../mcp/test/agent.ts';
import { type Call, callAt } from './installation.ts';
import { environmentOf, type ServiceProcess, startProcess } from './processes.ts';

/**
 * How long a client's body may keep a service from everybody else, without the time in which the
 * process waited for a processor. A test fails only where three tries are all over it: other
 * programs keep the processes waiting, too. The defects that it is for take seconds.
 */
const delayMaxMs = 250;
const triesMax = 3;

const config = testConfig();
const processes: ServiceProcess[] = [];
let folder: string;
let call: Call;
let gateway: { url: string; key: string };
let projectId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-event-loop-'));
  const urlOf = (name: string) =>
    processes.find((each) => each.name === name)?.url ?? 'http://127.0.0.1:1';
  const urls = () =>
    Object.fromEntries(serviceNames.map((name) => [urlVariable(name), urlOf(name)]));
  const start = async (name: string, own: Record<string, string> = {}) => {
    const environment = { ...environmentOf(config, name), ...urls(), ...own };
    const started = await startProcess(name, environment);
    processes.push(started);
    return started;
  };
  await start('run-records');
  const asking = ['run-records', 'transfers'];
  const own: Record<string, Record<string, string>> = {
    sessions: {
      ATTACHMENTS_FOLDER: join(folder, 'attachments'),
      PUBLIC_URL: 'http://127.0.0.1/v2',
    },
  };
  const others = serviceNames.filter((name) => !asking.includes(name));
  await Promise.all(others.map((name) => start(name, own[name])));
  await start('transfers');
  // Each of these two is told where the other one is.
  const port = String(await freePort());
  const mcp = await start('mcp', { GATEWAY_URL: `http://127.0.0.1:${port}` });
  const { url } = await start('gateway', { PORT: port, MCP_URL: mcp.url });
  const { key } = await keepAdminKey({
    folder,
    config,
    log: createLog({ name: 'test', level: 'silent' }),
  });
  gateway = { url, key };
  call = callAt(url, key);
  projectId = (await call('POST', '/projects', { name: 'p', description: '' })).body.id;
});

afterAll(async () => {
  await Promise.all(processes.map((each) => each.stop()));
  await dropData(config);
  await rm(folder, { recursive: true });
});

/** The longest delay of a process's event loop since this was last asked. */
async function longestDelayMs({ url }: ServiceProcess): Promise<number> {
  const metrics = await (await fetch(`${url}/metrics`)).text();
  return 1000 * Number(/^nodejs_eventloop_lag_max_seconds\{.*\} (.*)$/m.exec(metrics)![1]);
}

/**
 * The processes whose event loop stood still for too long while this was done, in each of three
 * tries.
 */
async function processesHeldBy(work: () => Promise<unknown>): Promise<string[]> {
  let held: string[] = [];
  for (let tries = 0; tries < triesMax; tries++) {
    await Promise.all(processes.map(longestDelayMs));
    const before = processes.map(({ pid }) => processorUse(pid).waitedMs);
    await work();
    const delays = await Promise.all(
      processes.map(async (each, index) => ({
        name: each.name,
        ms: (await longestDelayMs(each)) - (processorUse(each.pid).waitedMs - before[index]!),
      })),
    );
    held = delays
      .filter(({ ms }) => ms > delayMaxMs)
      .map(({ name, ms }) => `${name}: ${Math.round(ms)} ms`);
    if (held.length === 0) return held;
  }
  return held;
}

test('every process of an installation is watched', () => {
  expect(processes.map(({ name }) => name).sort()).toEqual(
    [...serviceNames, 'gateway', 'mcp'].sort(),
  );
});

const tinyLines = '{}\n'.repeat(256 * 1024);
const someRight = `${'{}\n'.repeat(5000)}{"inputs":{},"expected":{},"outputs":{}}\n`.repeat(8);
const blankLines = Buffer.alloc(8 * 1024 * 1024, '\n');
const zipped = { 'content-encoding': 'gzip' };

describe('an upload keeps nobody else waiting', () => {
  test.for([
    ['of tiny lines that are wrong', tinyLines, {}],
    ['of tiny lines that are wrong but for a few', someRight, {}],
    ['of blank lines', blankLines, {}],
    ['of blank lines as gzip', gzipSync(blankLines, { level: 9 }), zipped],
  ] as const)('%s, to a run', async ([, raw, coding]) => {
    const run = (await call('POST', `/projects/${projectId}/runs`, { metricIds: [] })).body;
    const headers = { 'content-type': 'application/x-ndjson', ...coding };
    const upload = () => call('POST', `/runs/${run.id}/records/bulk`, undefined, { raw, headers });
    expect(await processesHeldBy(upload)).toEqual([]);
  });

  test.for([
    ['of tiny lines', 'application/x-ndjson', tinyLines.replaceAll('{}', '[]')],
    ['of a CSV of wrong rows', 'text/csv', `a\n${'x,y\n'.repeat(256 * 1024)}`],
    ['of a CSV of blank rows', 'text/csv', blankLines],
    ['of an array of nothing', 'application/json', `[${','.repeat(768 * 1024)}]`],
    ['of an array of blanks', 'application/json', Buffer.alloc(8 * 1024 * 1024, ' ')],
  ] as const)('%s, to a testset', async ([, type, raw]) => {
    const fieldMapping = { inputs: ['a'], expected: [], metadata: [] };
    const testset = {
      name: 't',
      description: '',
      jsonSchema: { properties: { a: {} } },
      fieldMapping,
    };
    const { id } = (await call('POST', `/projects/${projectId}/testsets`, testset)).body;
    const upload = () =>
      call('POST', `/testsets/${id}/testcases/import`, undefined, {
        raw,
        headers: { 'content-type': type },
      });
    expect(await processesHeldBy(upload)).toEqual([]);
  });
});

const elements = (bytes: number) => `[${'{},'.repeat(bytes / 3 - 1)}{}]`;

let largeRecordId: string | undefined;
/** Makes a record with a payload of millions of values, as large as one may be. */
async function createLargeRecord(): Promise<string> {
  const run = (await call('POST', `/projects/${projectId}/runs`, { metricIds: [] })).body;
  const raw = `{"inputs":{},"expected":{},"outputs":{"x":${elements(13_800_000)}}}`;
  const { status, body } = await call('POST', `/runs/${run.id}/records`, undefined, { raw });
  expect(status).toBe(201);
  largeRecordId = body.id as string;
  return largeRecordId;
}

describe('a body of which the contract knows little keeps nobody else waiting', () => {
  const records = async (own: string) => {
    const run = (await call('POST', `/projects/${projectId}/runs`, { metricIds: [] })).body;
    const raw = `{"inputs":{},"expected":{},"outputs":{},${own}}`;
    return () => call('POST', `/runs/${run.id}/records`, undefined, { raw });
  };

  test('with a member that it does not have', async () => {
    const create = await records(`"zzz":${elements(14_000_000)}`);
    const created = async () => expect((await create()).status).toBe(201);
    expect(await processesHeldBy(created)).toEqual([]);
  });

  test('with a payload of many values', async () => {
    expect(await processesHeldBy(createLargeRecord)).toEqual([]);
  });

  test('from eight clients at once, each within the default limit', async () => {
    const raw = `{"name":"p","description":"","zzz":${elements(1_000_000)}}`;
    const create = () =>
      Promise.all(Array.from({ length: 8 }, () => call('POST', '/projects', undefined, { raw })));
    expect(await processesHeldBy(create)).toEqual([]);
  });

  test('with a list that is too long', async () => {
    const create = await records(`"tags":${elements(14_000_000)}`);
    const refused = async () =>
      expect(await create()).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
    expect(await processesHeldBy(refused)).toEqual([]);
  });

  test('as a line of an upload', async () => {
    const run = (await call('POST', `/projects/${projectId}/runs`, { metricIds: [] })).body;
    const raw = `{"inputs":{},"expected":{},"outputs":{},"zzz":${elements(14_000_000)}}\n`;
    const headers = { 'content-type': 'application/x-ndjson' };
    const upload = () => call('POST', `/runs/${run.id}/records/bulk`, undefined, { raw, headers });
    expect(await processesHeldBy(upload)).toEqual([]);
  });

  test('as a line of a project that is imported', async () => {
    const member = `{"kind":"member","userId":"${newId()}","email":"a@example.com","name":null,"zzz":${elements(volume(38_000_000, 14_000_000))}}`;
    const raw = [
      '{"kind":"header","format":"assay-project","version":1,"exportedAt":"2026-01-31T12:00:00.000Z"}',
      `{"kind":"project","id":"${newId()}","name":"imported","description":""}`,
      member,
      '',
    ].join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    const upload = () => call('POST', '/projects/import', undefined, { raw, headers });
    expect(await processesHeldBy(upload)).toEqual([]);
  });
});

describe('an export of spans keeps nobody else waiting', () => {
  const spansOf = (count: number, traceOf: (index: number) => number) =>
    Array.from({ length: count }, (_, index) => {
      const hex = (value: number, digits: number) => value.toString(16).padStart(digits, '0');
      const now = Date.now();
      return `{"traceId":"${hex(1 + traceOf(index), 32)}","spanId":"${hex(1 + index, 16)}","startTimeUnixNano":"${now}000000","endTimeUnixNano":"${now}000001"}`;
    }).join();
  const exportOf = (spans: string) => `{"resourceSpans":[{"scopeSpans":[{"spans":[${spans}]}]}]}`;
  const deep = `${'{"arrayValue":{"values":['.repeat(31)}{}${']}}'.repeat(31)}`;
  const attribute = `{"key":"deep","value":${deep}}`;

  test.for([
    ['of as many traces as one may have', exportOf(spansOf(10_000, (index) => index))],
    ['of one trace', exportOf(spansOf(50_000, () => 0))],
    [
      'with many values within each other',
      `{"resourceSpans":[{"resource":{"attributes":[${Array(20_000).fill(attribute).join()}]}}]}`,
    ],
  ] as const)('%s', async ([, raw]) => {
    const upload = async () => {
      const reply = await call('POST', '/otel/v1/traces', undefined, {
        raw,
        headers: { 'content-type': 'application/json' },
      });
      expect([reply.status, reply.body]).toEqual([200, {}]);
    };
    expect(await processesHeldBy(upload)).toEqual([]);
  });
});

describe('an export without a span keeps nobody else waiting', () => {
  const bytes = volume(32, 16) * 1024 ** 2;
  const containers = { protobuf: Buffer.from([0x0a, 0x00]), json: Buffer.from('{},') };
  const json = Buffer.concat([
    Buffer.from('{"resourceSpans":['),
    Buffer.alloc(bytes - (bytes % 3), containers.json),
    Buffer.from('{}]}'),
  ]);

  test.for([
    ['of empty containers', 'application/x-protobuf', Buffer.alloc(bytes, containers.protobuf)],
    ['of empty containers as JSON', 'application/json', json],
  ] as const)('%s', async ([, type, plain]) => {
    const raw = gzipSync(plain);
    const headers = { 'content-type': type, ...zipped };
    const upload = async () => {
      const { status } = await call('POST', '/otel/v1/traces', undefined, { raw, headers });
      expect([200, 400, 413]).toContain(status);
    };
    expect(await processesHeldBy(upload)).toEqual([]);
  });
});

test('reading a span of a large trace many times, while it settles, keeps nobody waiting', async () => {
  const [traceId, spanId] = ['f'.repeat(32), 'f'.repeat(16)];
  const value = { stringValue: 'a'.repeat(28 * 1024) };
  const spans = Array.from({ length: volume(1000, 500) }, (_, index) => ({
    traceId,
    spanId: index === 0 ? spanId : (index + 1).toString(16).padStart(16, '0'),
    startTimeUnixNano: `${Date.now()}000000`,
    endTimeUnixNano: `${Date.now()}000001`,
    attributes: [{ key: 'output.value', value }],
  }));
  const raw = gzipSync(JSON.stringify({ resourceSpans: [{ scopeSpans: [{ spans }] }] }));
  const headers = { 'content-type': 'application/json', ...zipped };
  const work = async () => {
    const sent = await call('POST', '/otel/v1/traces', undefined, { raw, headers });
    expect([sent.status, sent.body]).toEqual([200, {}]);
    const readings = await Promise.all(
      Array.from({ length: 30 }, () => call('GET', `/traces/${traceId}/spans/${spanId}`)),
    );
    const read = readings.filter(({ status }) => status === 200);
    expect(read.length).toBeGreaterThan(0);
    for (const { status } of readings) expect([200, 503]).toContain(status);
  };
  expect(await processesHeldBy(work)).toEqual([]);
});

describe('uploads that stop within a line keep nobody else waiting', () => {
  /** Sends the beginning of an upload and leaves it open; returns how it is ended. */
  function begin(path: string, beginning: Buffer): { sent: Promise<unknown>; end: () => void } {
    const upload = request(`${gateway.url}/v2${path}`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${gateway.key}`,
        'content-type': 'application/x-ndjson',
        ...zipped,
      },
    });
    upload.on('error', () => undefined).on('response', (reply) => reply.resume());
    const sent = new Promise((resolve) => upload.write(beginning, resolve));
    // An upload that is refused is ended by the server.
    return { sent: Promise.race([sent, once(upload, 'close')]), end: () => upload.destroy() };
  }
  /** A line without its end, as the first part of a longer body. */
  const lineOf = (bytes: number) =>
    gzipSync(Buffer.from(`{"inputs":"${'a'.repeat(bytes)}`), {
      finishFlush: constants.Z_SYNC_FLUSH,
    });

  test.for([
    ['to runs', 40, 14_000_000],
    ['of projects', 15, 38_000_000],
  ] as const)('%s', async ([kind, whole, bytes]) => {
    const run = (await call('POST', `/projects/${projectId}/runs`, { metricIds: [] })).body;
    const path = kind === 'to runs' ? `/runs/${run.id}/records/bulk` : '/projects/import';
    const beginning = lineOf(bytes);
    const work = async () => {
      const uploads = Array.from({ length: volume(whole, 8) }, () => begin(path, beginning));
      await Promise.all(uploads.map(({ sent }) => sent));
      // Others are served while all of them are open.
      for (let reads = 0; reads < 10; reads++)
        expect(await call('GET', `/runs/${run.id}`)).toMatchObject({ status: 200 });
      for (const { end } of uploads) end();
    };
    expect(await processesHeldBy(work)).toEqual([]);
  });
});

test('agents that read a part of a large record keep nobody waiting', async () => {
  const recordId = largeRecordId ?? (await createLargeRecord());
  await using agent = await connectAgent(gateway);
  const work = () =>
    Promise.all(
      Array.from({ length: 3 }, () => agent.call('get_record', { recordId, at: '/outputs/x' })),
    );
  expect(await processesHeldBy(work)).toEqual([]);
});

test('a page of records with as many scores as they may have keeps nobody waiting', async () => {
  const human = { name: 'm', evalType: 'human', outputType: 'int' };
  const creating = Array.from(
    { length: 15 },
    async () => (await call('POST', `/projects/${projectId}/metrics`, human)).body.id,
  );
  const run = (
    await call('POST', `/projects/${projectId}/runs`, { metricIds: await Promise.all(creating) })
  ).body;
  const score = { intScore: 4, reasoning: 'r'.repeat(65_000) };
  const scores = run.metricVersionIds.map((metricConfigId: string) => ({ metricConfigId, score }));
  const record = { inputs: {}, expected: {}, outputs: {}, scores };
  for (let filled = 0; filled < 22; filled++)
    expect(await call('POST', `/runs/${run.id}/records`, record)).toMatchObject({ status: 201 });
  const page = async () => {
    const { data, hasMore } = (await call('GET', `/runs/${run.id}/records?limit=100`)).body;
    expect([data.length, hasMore]).toEqual([21, true]);
  };
  expect(await processesHeldBy(page)).toEqual([]);
});

test('patterns that grow when their repetitions are written out keep nobody waiting', async () => {
  const metric = { name: 'm', evalType: 'heuristic', outputType: 'boolean' };
  const builtin = { name: 'regex_match', options: { pattern: 'a{1000}'.repeat(285) } };
  const create = () =>
    Promise.all(
      Array.from({ length: 10 }, () =>
        call('POST', `/projects/${projectId}/metrics`, { ...metric, builtin }),
      ),
    );
  const refused = async () =>
    expect((await create()).map(({ status }) => status)).toEqual(Array(10).fill(400));
  expect(await processesHeldBy(refused)).toEqual([]);
});
