import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { type IncomingMessage, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { pipeline, Readable } from 'node:stream';
import { fileURLToPath } from 'node:url';
import { createGzip } from 'node:zlib';
import { freePort } from '@assay/local/port';
import { poll } from '@assay/testing/poll';
import { volume } from '@assay/testing/volume';
import { afterAll, beforeAll, expect, onTestFailed, test } from 'vitest';
import { type Call, callAt } from './installation.ts';
import { exportOf } from './tenant.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
/** Traces, of which each has as many spans: as many as there are records in all. */
const traceCount = 20;
const spansOfTrace = volume(30, 12);
const recordCount = traceCount * spansOfTrace;
/** Lines of an upload, and how many are answered before the kill. */
const lineCount = volume(8000, 4000);
const answeredBefore = lineCount / 5;
const lastLinesFrom = (lineCount * 3) / 4;

let folder: string;
let port: number;
let laptop: ChildProcess;
let call: Call;

/** What `npm start` runs, on a data folder, MongoDB and NATS of its own. */
async function startLaptop(): Promise<void> {
  const { PATH = '', HOME = '' } = process.env;
  const env = { PATH, HOME, PORT: String(port), ASSAY_DATA_DIR: folder };
  laptop = spawn(process.execPath, ['dist/bundle/start.js'], {
    cwd: root,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  for await (const line of createInterface({ input: laptop.stdout! }))
    if (line.startsWith('Assay is ready')) break;
  laptop.stdout!.resume();
  const key = (await readFile(join(folder, 'admin-key'), 'utf8')).trim();
  call = callAt(`http://127.0.0.1:${port}`, key);
}

const pidOf = async (name: string) =>
  (JSON.parse(await readFile(join(folder, `${name}.pid`), 'utf8')) as { pid: number }).pid;

/** What went wrong inside, for whoever looks into a failure. */
async function showLog(): Promise<void> {
  const lines = (await readFile(join(folder, 'logs', 'assay.log'), 'utf8')).split('\n');
  process.stderr.write(
    `${lines
      .filter((line) => /"level":"(warn|error|fatal)"/.test(line))
      .slice(-30)
      .join('\n')}\n`,
  );
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'assay-faults-'));
  port = await freePort();
  await startLaptop();
});

afterAll(async () => {
  laptop.kill('SIGTERM');
  await once(laptop, 'exit');
  await rm(folder, { recursive: true });
});

const killMongod = async () => process.kill(await pidOf('mongodb'), 'SIGKILL');
async function killNode() {
  laptop.kill('SIGKILL');
  await once(laptop, 'exit');
  await startLaptop();
}

test.each([
  ['mongod', killMongod],
  ['nats-server', async () => process.kill(await pidOf('nats'), 'SIGKILL')],
  ['the node process', killNode],
])(
  'kill -9 of %s while records and spans come in loses and doubles nothing, every record is scored and every trace settled',
  async (_what, kill) => {
    onTestFailed(showLog);
    const project = (await call('POST', '/projects', { name: 'faults', description: '' })).body;
    const metric = {
      name: 'm',
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'exact_match', options: {} },
    };
    const metricId = (await call('POST', `/projects/${project.id}/metrics`, metric)).body.id;
    const run = (await call('POST', `/projects/${project.id}/runs`, { metricIds: [metricId] }))
      .body;

    const acknowledged = new Set<string>();
    const send = (index: number) =>
      poll('the record is acknowledged', async () => {
        const body = {
          inputs: { index },
          expected: { answer: 'a' },
          outputs: { answer: index % 3 === 0 ? 'a' : 'b' },
        };
        const reply = await call('POST', `/runs/${run.id}/records`, body, {
          headers: { 'idempotency-key': `${run.id}-${index}` },
        }).catch(() => undefined);
        if (reply && reply.status !== 201) expect([409, 503], reply.text).toContain(reply.status);
        return reply?.status === 201 && reply.body.id;
      });
    const traces = Array.from({ length: traceCount }, () => randomBytes(16).toString('hex'));
    const sendSpan = (index: number) =>
      poll('the span is acknowledged', async () => {
        const trace = traces[index % traces.length]!;
        const span = (index + 1).toString(16).padStart(16, '0');
        const body = exportOf({ trace, span, project: project.id });
        const reply = await call('POST', '/otel/v1/traces', body).catch(() => undefined);
        if (reply && reply.status !== 200) expect(reply.status, reply.text).toBe(503);
        return reply?.status === 200;
      });
    const indexes = Array.from({ length: recordCount }, (_, index) => index).values();
    let killed: Promise<unknown> | undefined;
    const worker = async () => {
      for (const index of indexes) {
        if (index === 100) killed = kill();
        const [id] = await Promise.all([send(index), sendSpan(index)]);
        acknowledged.add(id);
      }
    };
    await Promise.all(Array.from({ length: 16 }, worker));
    await killed;

    const account = await poll('all is scored', async () => {
      const reply = await call('GET', `/runs/${run.id}`);
      return (
        reply.status === 200 &&
        reply.body.scoring.pending === 0 && {
          numRecords: reply.body.numRecords,
          scoring: reply.body.scoring,
        }
      );
    });
    expect(acknowledged.size).toBe(recordCount);
    expect(account).toEqual({
      numRecords: recordCount,
      scoring: { expected: recordCount, scored: recordCount, failed: 0, pending: 0 },
    });
    expect((await call('GET', `/runs/${run.id}/summary`)).body.metrics[0]).toMatchObject({
      count: recordCount,
      passRate: Math.ceil(recordCount / 3) / recordCount,
    });
    for (const trace of traces) {
      const { numSpans } = await poll('the trace is settled', async () => {
        const { body } = await call('GET', `/traces/${trace}`);
        return body.isSettled === true && body;
      });
      const { data } = (await call('GET', `/traces/${trace}/spans`)).body;
      const ids = new Set(data.map(({ spanId }: { spanId: string }) => spanId));
      expect([numSpans, data.length, ids.size]).toEqual(Array(3).fill(spansOfTrace));
    }
  },
);

/**
 * Uploads gzipped lines, and tells each answer line as it comes; the answer may end early, as the
 * connection does.
 */
async function upload(
  runId: string,
  lines: Iterable<string> | AsyncIterable<string>,
  heard: (answer: { status: number; id: string }) => void,
): Promise<void> {
  const key = (await readFile(join(folder, 'admin-key'), 'utf8')).trim();
  const sending = request(`http://127.0.0.1:${port}/v2/runs/${runId}/records/bulk`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-ndjson',
      'content-encoding': 'gzip',
    },
  });
  const answered = once(sending, 'response');
  answered.catch(() => undefined);
  sending.on('error', () => sending.destroy());
  pipeline(Readable.from(lines), createGzip({ level: 1 }), sending, () => undefined);
  const [response] = (await answered) as [IncomingMessage];
  for await (const line of createInterface({ input: response }))
    if (line.endsWith('}')) heard(JSON.parse(line));
}

test.each([
  ['mongod', killMongod],
  ['the node process', killNode],
])(
  'kill -9 of %s during an upload loses nothing that was answered, and its repeat by client ids completes it without doubles',
  async (_what, kill) => {
    onTestFailed(showLog);
    const project = (await call('POST', '/projects', { name: 'uploads', description: '' })).body;
    const run = (await call('POST', `/projects/${project.id}/runs`, { metricIds: [] })).body;
    const lines = Array.from(
      { length: lineCount },
      (_, index) =>
        `${JSON.stringify({ clientId: `c${index}`, inputs: { index }, expected: {}, outputs: { text: 'x'.repeat(500) } })}\n`,
    );
    const first: string[] = [];
    let killed: Promise<unknown> | undefined;
    // The last lines are sent after the kill, so that it comes in the middle however fast the
    // others are answered.
    async function* linesAround() {
      yield* lines.slice(0, lastLinesFrom);
      await poll('it was killed', () => killed !== undefined);
      await killed;
      yield* lines.slice(lastLinesFrom);
    }
    await upload(run.id, linesAround(), ({ status, id }) => {
      if (status === 201) first.push(id);
      if (first.length > answeredBefore) killed ??= kill();
    }).catch(() => undefined);
    await killed;
    expect(killed).toBeDefined();

    const all: { status: number; id: string }[] = [];
    await poll('the upload is whole', async () => {
      all.length = 0;
      await upload(run.id, lines, (answer) => all.push(answer)).catch(() => undefined);
      return (
        all.length === lines.length && all.every(({ status }) => status === 200 || status === 201)
      );
    });
    expect(all.slice(0, first.length).map(({ id }) => id)).toEqual(first);
    expect(new Set(all.map(({ id }) => id)).size).toBe(lines.length);
    expect((await call('GET', `/runs/${run.id}`)).body.numRecords).toBe(lines.length);
  },
);
