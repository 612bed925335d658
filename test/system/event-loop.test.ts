import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { serviceNames, urlVariable } from '@assay/contracts/all';
import { keepAdminKey } from '@assay/local/organization';
import { processorUse } from '@assay/runtime/concurrency/processor-time';
import { newId } from '@assay/runtime/ids';
import { createLog } from '@assay/runtime/log';
import { testConfig } from '@assay/testing/config';
import { dropData } from '@assay/testing/databases';
import { volume } from '@assay/testing/volume';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
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
// Nothing is asked of the other two.
const names = serviceNames.filter((name) => !['sessions', 'scoring'].includes(name));
const processes: ServiceProcess[] = [];
let folder: string;
let call: Call;
let projectId: string;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-event-loop-'));
  const urlOf = (name: string) =>
    processes.find((each) => each.name === name)?.url ?? 'http://127.0.0.1:1';
  const urls = () =>
    Object.fromEntries(serviceNames.map((name) => [urlVariable(name), urlOf(name)]));
  const start = async (name: string) =>
    void processes.push(await startProcess(name, { ...environmentOf(config, name), ...urls() }));
  await start('run-records');
  const asking = ['run-records', 'transfers'];
  await Promise.all(names.filter((name) => !asking.includes(name)).map(start));
  await start('transfers');
  await start('gateway');
  const { key } = await keepAdminKey({
    folder,
    config,
    log: createLog({ name: 'test', level: 'silent' }),
  });
  call = callAt(processes.at(-1)!.url, key);
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

describe('a body of which the contract knows little keeps nobody else waiting', () => {
  const elements = (bytes: number) => `[${'{},'.repeat(bytes / 3 - 1)}{}]`;
  const records = async (own: string) => {
    const run = (await call('POST', `/projects/${projectId}/runs`, { metricIds: [] })).body;
    const raw = `{"inputs":{},"expected":{},"outputs":{},${own}}`;
    return () => call('POST', `/runs/${run.id}/records`, undefined, { raw });
  };

  test('with a member that it does not have', async () => {
    const create = await records(`"zzz":${elements(14_000_000)}`);
    expect(await processesHeldBy(create)).toEqual([]);
    expect((await create()).status).toBe(201);
  });

  test('with a list that is too long', async () => {
    const create = await records(`"tags":${elements(14_000_000)}`);
    expect(await processesHeldBy(create)).toEqual([]);
    expect(await create()).toMatchObject({ status: 400, body: { code: 'VALIDATION_ERROR' } });
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
    ['of one trace', exportOf(spansOf(100_000, () => 0))],
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
  for (let filled = 0; filled < 24; filled++)
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
  expect((await create()).map(({ status }) => status)).toEqual(Array(10).fill(400));
  expect(await processesHeldBy(create)).toEqual([]);
});
