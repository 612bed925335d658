import { connect, type Socket } from 'node:net';
import { newKey } from '@assay/runtime/api-key';
import type { Call } from '../client.ts';
import { authorizationOf } from '../client.ts';

/** Where an attack goes, and as whom. */
export interface Attacker {
  url: string;
  key: string;
  call: Call;
}

/**
 * Goes on until its signal is aborted. Its answers do not matter: only the effect on the neighbour
 * counts.
 */
export interface Attack {
  name: string;
  /**
   * Creates the data that the attack needs, before the measurement, and returns the attack itself.
   */
  prepare(attacker: Attacker): Promise<(signal: AbortSignal) => Promise<void>>;
}

interface SentRequest {
  method: string;
  path: string;
  body?: string;
  type?: string;
  key?: string;
}

/** One request, whose answer is read and forgotten. */
async function send(
  { url, key }: Attacker,
  { method, path, body, type = 'application/json', key: as = key }: SentRequest,
  signal: AbortSignal,
) {
  const headers = {
    ...authorizationOf(as),
    ...(body === undefined ? {} : { 'content-type': type }),
  };
  const response = await fetch(`${url}/v2${path}`, {
    method,
    headers,
    signal,
    ...(body === undefined ? {} : { body }),
  });
  await response.arrayBuffer();
}

/** So many requests at once, again and again. */
async function repeat(
  attacker: Attacker,
  atOnce: number,
  signal: AbortSignal,
  next: () => SentRequest,
): Promise<void> {
  const one = async () => {
    while (!signal.aborted) await send(attacker, next(), signal).catch(() => undefined);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
}

/**
 * Holds this many connections that send the beginning of a request and stop. A connection that is
 * closed is opened again.
 */
async function hold(
  attacker: Attacker,
  connections: number,
  signal: AbortSignal,
  beginning: Buffer,
): Promise<void> {
  const { hostname, port } = new URL(attacker.url);
  const open = new Set<Socket>();
  const begin = () => {
    if (signal.aborted) return;
    const socket = connect(Number(port), hostname, () => socket.write(beginning));
    open.add(socket);
    socket.on('error', () => undefined).resume();
    socket.once('close', () => {
      open.delete(socket);
      setTimeout(begin, 100).unref();
    });
  };
  for (let count = 0; count < connections; count++) begin();
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  for (const socket of open) socket.destroy();
}

const headOf = (
  { key }: Attacker,
  path: string,
  headers: Record<string, string | number>,
): string =>
  [
    `POST /v2${path} HTTP/1.1`,
    'host: neighbour',
    `authorization: Bearer ${key}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');

const newProject = async (call: Call): Promise<string> =>
  (await call('POST', '/projects', { name: 'Attack', description: '' })).id;
const newRun = async (call: Call, projectId: string, metricIds: string[] = []): Promise<string> =>
  (await call('POST', `/projects/${projectId}/runs`, { metricIds })).id;
const newMetric = async (call: Call, projectId: string, metric: object): Promise<string> =>
  (
    await call('POST', `/projects/${projectId}/metrics`, {
      name: 'Attack',
      outputType: 'boolean',
      ...metric,
    })
  ).id;

/** Uploads the same record many times. */
async function fill(
  attacker: Attacker,
  runId: string,
  record: object,
  count: number,
): Promise<void> {
  const body = `${JSON.stringify(record)}\n`.repeat(count);
  const type = 'application/x-ndjson';
  await send(
    attacker,
    { method: 'POST', path: `/runs/${runId}/records/bulk`, body, type },
    new AbortController().signal,
  );
}

const record = { inputs: {}, expected: { answer: 'a' }, outputs: { answer: 'a' } };

/** Attacks by which one organization once stopped all others. */
export const attacks: Attack[] = [
  {
    name: 'lists with filters of many tags',
    prepare: async (attacker) => {
      const runId = await newRun(attacker.call, await newProject(attacker.call));
      const tags = Array.from({ length: 50 }, (_, index) => `t${index}`);
      for (let count = 0; count < 4; count++)
        await fill(attacker, runId, { ...record, tags }, 5000);
      const query = `limit=1${Array.from({ length: 24 }, (_, index) => `&tags=t${index},t49`).join('')}&tags=zz`;
      return (signal) =>
        repeat(attacker, 48, signal, () => ({
          method: 'GET',
          path: `/runs/${runId}/records?${query}`,
        }));
    },
  },
  {
    name: 'bodies that stop half way',
    prepare: async (attacker) => {
      const head = headOf(attacker, '/projects', {
        'content-type': 'application/json',
        'content-length': 256 * 1024,
      });
      return (signal) =>
        hold(
          attacker,
          560,
          signal,
          Buffer.concat([Buffer.from(head), Buffer.alloc(256 * 1024 - 1, 0x20)]),
        );
    },
  },
  {
    name: 'uploads that stop',
    prepare: async (attacker) => {
      const runId = await newRun(attacker.call, await newProject(attacker.call));
      const head = headOf(attacker, `/runs/${runId}/records/bulk`, {
        'content-type': 'application/x-ndjson',
        'transfer-encoding': 'chunked',
      });
      return (signal) => hold(attacker, 600, signal, Buffer.from(`${head}1\r\n{\r\n`));
    },
  },
  {
    name: 'uploads of tiny lines',
    prepare: async (attacker) => {
      const runId = await newRun(attacker.call, await newProject(attacker.call));
      const path = `/runs/${runId}/records/bulk`;
      const body = '{}\n'.repeat(256 * 1024);
      return (signal) =>
        repeat(attacker, 2, signal, () => ({
          method: 'POST',
          path,
          body,
          type: 'application/x-ndjson',
        }));
    },
  },
  {
    name: 'previews of prompts that never end',
    prepare: async (attacker) => {
      const { call } = attacker;
      const projectId = await newProject(call);
      const metricId = await newMetric(call, projectId, {
        evalType: 'ai',
        promptTemplate: '{{ outputs.answer }}',
      });
      const runId = await newRun(call, projectId, [metricId]);
      const [versionId] = (await call('GET', `/runs/${runId}`)).metricVersionIds;
      for (let count = 0; count < 20; count++) {
        const { id } = await call('POST', `/runs/${runId}/records`, record);
        await call('PUT', `/records/${id}/scores/${versionId}`, { score: { binaryScore: true } });
      }
      const promptTemplate =
        '{% set a = range(100000)|list %}{% for i in range(1000) %}{% set z = a | tojson %}{% endfor %}';
      const body = JSON.stringify({
        runId,
        limit: 20,
        change: { evalType: 'ai', outputType: 'boolean', promptTemplate },
      });
      return (signal) =>
        repeat(attacker, 4, signal, () => ({
          method: 'POST',
          path: `/metrics/${metricId}/preview`,
          body,
        }));
    },
  },
  {
    name: 'code that never ends',
    prepare: async (attacker) => {
      const { call } = attacker;
      const projectId = await newProject(call);
      const code = { language: 'javascript', source: 'function evaluate() { for (;;); }' };
      return async (signal) => {
        while (!signal.aborted) {
          // Another metric each time: code that ran out of time often is left alone.
          const metricId = await newMetric(call, projectId, { evalType: 'heuristic', code });
          for (let count = 0; count < 6; count++)
            await fill(attacker, await newRun(call, projectId, [metricId]), record, 60);
          await new Promise((resolve) => setTimeout(resolve, 5000));
        }
      };
    },
  },
  {
    name: 'checks of code that never ends',
    prepare: async (attacker) => {
      const projectId = await newProject(attacker.call);
      const code = { language: 'javascript', source: 'for (;;);' };
      const body = JSON.stringify({
        name: 'Attack',
        evalType: 'heuristic',
        outputType: 'boolean',
        code,
      });
      return (signal) =>
        repeat(attacker, 40, signal, () => ({
          method: 'POST',
          path: `/projects/${projectId}/metrics`,
          body,
        }));
    },
  },
  {
    name: 'schemas that double at each level',
    prepare: async (attacker) => {
      const projectId = await newProject(attacker.call);
      const branch = { properties: { x: { $ref: '#/$defs/a' } } };
      const $defs = { a: { anyOf: [{ ...branch, required: ['y'] }, branch] } };
      const testsets: string[] = [];
      for (let count = 0; count < 16; count++) {
        const jsonSchema = { $comment: String(count), $defs, $ref: '#/$defs/a' };
        const fieldMapping = { inputs: [], expected: [], metadata: [] };
        testsets.push(
          (
            await attacker.call('POST', `/projects/${projectId}/testsets`, {
              name: 'a',
              description: '',
              jsonSchema,
              fieldMapping,
            })
          ).id,
        );
      }
      const body = `{"items":[{"jsonData":${'{"x":'.repeat(100)}1${'}'.repeat(100)}}]}`;
      let turn = 0;
      return (signal) =>
        repeat(attacker, 16, signal, () => ({
          method: 'POST',
          path: `/testsets/${testsets[turn++ % testsets.length]}/testcases`,
          body,
        }));
    },
  },
  {
    name: 'large patterns',
    prepare: async (attacker) => {
      const projectId = await newProject(attacker.call);
      const builtin = { name: 'regex_match', options: { pattern: 'a{1000}'.repeat(285) } };
      const body = JSON.stringify({
        name: 'Attack',
        evalType: 'heuristic',
        outputType: 'boolean',
        builtin,
      });
      return (signal) =>
        repeat(attacker, 10, signal, () => ({
          method: 'POST',
          path: `/projects/${projectId}/metrics`,
          body,
        }));
    },
  },
  {
    name: 'large comparisons',
    prepare: async (attacker) => {
      const { call } = attacker;
      const projectId = await newProject(call);
      const jsonSchema = { type: 'object', properties: { answer: { type: 'string' } } };
      const fieldMapping = { inputs: [], expected: ['answer'], metadata: [] };
      const testset = await call('POST', `/projects/${projectId}/testsets`, {
        name: 'a',
        description: '',
        jsonSchema,
        fieldMapping,
      });
      const testcases: string[] = [];
      for (let count = 0; count < 30; count++) {
        const items = Array.from({ length: 100 }, () => ({ jsonData: { answer: 'a' } }));
        testcases.push(
          ...(await call('POST', `/testsets/${testset.id}/testcases`, { items })).items.map(
            ({ id }: { id: string }) => id,
          ),
        );
      }
      const metricId = await newMetric(call, projectId, {
        evalType: 'heuristic',
        outputType: 'float',
        builtin: { name: 'levenshtein', options: {} },
      });
      const runs: string[] = [];
      for (const answer of ['a', 'b']) {
        const run = await call('POST', `/projects/${projectId}/runs`, {
          testsetId: testset.id,
          metricIds: [metricId],
        });
        const lines = testcases
          .map((testcaseId) => JSON.stringify({ ...record, testcaseId, outputs: { answer } }))
          .join('\n');
        const path = `/runs/${run.id}/records/bulk`;
        await send(
          attacker,
          { method: 'POST', path, body: lines, type: 'application/x-ndjson' },
          new AbortController().signal,
        );
        while ((await call('GET', `/runs/${run.id}`)).scoring.pending > 0)
          await new Promise((resolve) => setTimeout(resolve, 200));
        runs.push(run.id);
      }
      const body = JSON.stringify({ baselineRunId: runs[0], candidateRunId: runs[1] });
      return (signal) =>
        repeat(attacker, 15, signal, () => ({ method: 'POST', path: '/comparisons', body }));
    },
  },
  {
    name: 'keys that nobody has',
    prepare: async (attacker) => (signal) =>
      repeat(attacker, 64, signal, () => ({ method: 'GET', path: '/projects', key: newKey() })),
  },
];
