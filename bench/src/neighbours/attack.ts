import { connect, type Socket } from 'node:net';
import { authorizationOf, type Call, callAt } from '../client.ts';
import type { Tallies } from './tallies.ts';

/** Where attacks go, and as whom. */
export interface Attacker {
  url: string;
  key: string;
  call: Call;
  /** Pairs of records of the runs that are compared. */
  pairsCount: number;
  tallies: Tallies;
  /** Returns data that several attacks read. The first attack that needs it makes it. */
  shared<Value>(make: (attacker: Attacker) => Promise<Value>): Promise<Value>;
}

/** An attacker who has prepared nothing yet. */
export function createAttacker({
  url,
  key,
  pairsCount,
  tallies,
}: Pick<Attacker, 'url' | 'key' | 'pairsCount' | 'tallies'>): Attacker {
  const made = new Map<unknown, Promise<unknown>>();
  const attacker: Attacker = {
    url,
    key,
    pairsCount,
    tallies,
    call: callAt(url, key),
    shared: <Value>(make: (attacker: Attacker) => Promise<Value>) => {
      if (!made.has(make)) made.set(make, make(attacker));
      return made.get(make) as Promise<Value>;
    },
  };
  return attacker;
}

export interface Attack {
  name: string;
  /** Creates the data that the attack needs, before the measurement. */
  prepare(attacker: Attacker): Promise<PreparedAttack>;
}

export interface PreparedAttack {
  /** Each kind of work that has to be seen done: the operation, and more where it has forms. */
  kinds: readonly string[];
  /** Goes on until its signal is aborted. */
  run(signal: AbortSignal): Promise<void>;
}

export interface SentRequest {
  /** The operation, and more where it has forms: `exportRecords as CSV`. */
  kind: string;
  method: string;
  path: string;
  /** The beginning of the path: `/v2` when left out. */
  base?: string;
  body?: string | Buffer;
  type?: string;
  key?: string;
  headers?: Record<string, string>;
  /** The status that the attack is about, where that is no 2xx. */
  status?: number;
  /** The rows that its answer shows, of which there have to be so many. */
  rows?: { least: number; count: (answer: Buffer) => number };
}

/** One request, whose work is told; returns the answer where the work was done. */
export type Send = (request: SentRequest) => Promise<Buffer | undefined>;

const sender =
  ({ url, key, tallies }: Attacker, signal: AbortSignal): Send =>
  async (request) => {
    const { kind, method, path, base = '/v2', body, type = json, key: as = key, rows } = request;
    const response = await fetch(`${url}${base}${path}`, {
      method,
      headers: {
        ...authorizationOf(as),
        ...(body === undefined ? {} : { 'content-type': type }),
        ...request.headers,
      },
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const answer = Buffer.from(await response.arrayBuffer());
    const isRight = request.status === undefined ? response.ok : response.status === request.status;
    const counted = isRight && rows ? rows.count(answer) : 0;
    if (!isRight) tallies.miss(kind, `${response.status} ${answer.toString('utf8', 0, 200)}`);
    else if (rows && counted < rows.least)
      tallies.miss(kind, `${counted} rows of ${rows.least}: ${answer.toString('utf8', 0, 200)}`);
    else {
      tallies.add(kind, counted);
      return answer;
    }
    return undefined;
  };

const json = 'application/json';

/** The pause after a request without an answer, so that a refused connection makes no busy loop. */
const brokenMs = 50;

/** The same steps by so many clients at once, again and again. */
export function repeatSteps(
  attacker: Attacker,
  { atOnce, kinds }: { atOnce: number; kinds: readonly string[] },
  step: (send: Send, client: number) => Promise<unknown>,
): PreparedAttack {
  return {
    kinds,
    run: async (signal) => {
      const send = sender(attacker, signal);
      const work = async (_: unknown, client: number) => {
        while (!signal.aborted)
          await step(send, client).catch(async (error: Error) => {
            if (signal.aborted) return;
            attacker.tallies.miss('steps', error.message);
            await new Promise((resolve) => setTimeout(resolve, brokenMs));
          });
      };
      await Promise.all(Array.from({ length: atOnce }, work));
    },
  };
}

/** So many requests at once, of which each kind is sent as often as the others. */
export function repeat(
  attacker: Attacker,
  atOnce: number,
  requests: readonly SentRequest[],
): PreparedAttack {
  let turn = 0;
  const kinds = [...new Set(requests.map(({ kind }) => kind))];
  return repeatSteps(attacker, { atOnce, kinds }, (send) =>
    send(requests[turn++ % requests.length]!),
  );
}

const tellHeldMs = 500;

interface HeldConnections {
  kind: string;
  connections: number;
  /** Whether only those count that the server has begun to answer with 200. */
  isAnswered?: boolean;
}

/**
 * Holds this many connections that send a request, or the beginning of one. A connection that is
 * closed is opened again. The work that is told are the connections that are open, now and then.
 */
export const hold = (
  attacker: Attacker,
  held: HeldConnections,
  beginning: Buffer,
): PreparedAttack => ({
  kinds: [held.kind],
  run: (signal) => holdOpen(attacker, { ...held, signal, beginning }),
});

async function holdOpen(
  attacker: Attacker,
  {
    kind,
    connections,
    isAnswered = false,
    signal,
    beginning,
  }: HeldConnections & { signal: AbortSignal; beginning: Buffer },
): Promise<void> {
  const { hostname, port } = new URL(attacker.url);
  const open = new Set<Socket>();
  const answered = new Set<Socket>();
  const begin = () => {
    if (signal.aborted) return;
    const socket = connect(Number(port), hostname, () => socket.write(beginning));
    open.add(socket);
    socket.on('error', () => undefined);
    socket.on('data', (chunk) => {
      if (chunk.includes('HTTP/1.1 200')) answered.add(socket);
      else if (chunk.includes('HTTP/1.1 '))
        attacker.tallies.miss(kind, chunk.toString('utf8', 0, 200));
    });
    socket.once('close', () => {
      open.delete(socket);
      answered.delete(socket);
      setTimeout(begin, 100).unref();
    });
  };
  for (let count = 0; count < connections; count++) begin();
  const telling = setInterval(() => {
    const counted = isAnswered ? answered : open;
    const held = [...counted].filter(({ readyState }) => readyState === 'open').length;
    if (held > 0) attacker.tallies.add(kind, held);
    else attacker.tallies.miss(kind, 'no connection is open');
  }, tellHeldMs);
  await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  clearInterval(telling);
  for (const socket of open) socket.destroy();
}

export const headOf = (
  { key }: Attacker,
  path: string,
  headers: Record<string, string | number>,
  method = 'POST',
): string =>
  [
    `${method} /v2${path} HTTP/1.1`,
    'host: neighbour',
    `authorization: Bearer ${key}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    '',
    '',
  ].join('\r\n');

export const newProject = async (call: Call): Promise<string> =>
  (await call('POST', '/projects', { name: 'Attack', description: '' })).id;
export const newRun = async (
  call: Call,
  projectId: string,
  metricIds: string[] = [],
): Promise<string> => (await call('POST', `/projects/${projectId}/runs`, { metricIds })).id;
export const newMetric = async (call: Call, projectId: string, metric: object): Promise<string> =>
  (
    await call('POST', `/projects/${projectId}/metrics`, {
      name: 'Attack',
      outputType: 'boolean',
      ...metric,
    })
  ).id;

/** Uploads the same record many times; returns the ids of its copies. */
export async function fill(
  attacker: Attacker,
  runId: string,
  record: object,
  count: number,
): Promise<string[]> {
  const body = `${JSON.stringify(record)}\n`.repeat(count);
  return idsOf(await upload(attacker, `/runs/${runId}/records/bulk`, body));
}

/** Sends lines of JSON that the attack needs; returns the lines of the reply. */
export async function upload({ url, key }: Attacker, path: string, body: string): Promise<string> {
  const response = await fetch(`${url}/v2${path}`, {
    method: 'POST',
    headers: { ...authorizationOf(key), 'content-type': ndjson },
    body,
  });
  const answered = await response.text();
  if (!response.ok) throw new Error(`POST ${path}: ${response.status} ${answered}`);
  return answered;
}

export const ndjson = 'application/x-ndjson';

export const get = (kind: string, path: string, rows?: SentRequest['rows']): SentRequest => ({
  kind,
  method: 'GET',
  path,
  ...(rows ? { rows } : {}),
});

export const post = (
  kind: string,
  path: string,
  body: object,
  rows?: SentRequest['rows'],
): SentRequest => ({
  kind,
  method: 'POST',
  path,
  body: JSON.stringify(body),
  ...(rows ? { rows } : {}),
});

/** The lines of an answer. */
export const lines = (least: number): SentRequest['rows'] => ({ least, count: countLines });
/** The bytes of an answer that has no lines. */
export const bytes = (least: number): SentRequest['rows'] => ({
  least,
  count: ({ length }) => length,
});
/** The rows in an answer of JSON. */
export const shown = (
  least: number,
  // biome-ignore lint/suspicious/noExplicitAny: a benchmark reads the data that it made.
  count: (answer: any) => number,
): SentRequest['rows'] => ({ least, count: (answer) => count(JSON.parse(String(answer))) });

function countLines(answer: Buffer): number {
  let count = 0;
  for (let at = answer.indexOf(10); at >= 0; at = answer.indexOf(10, at + 1)) count++;
  return count;
}

export const newTestset = async (
  call: Call,
  projectId: string,
  testset: object = {},
): Promise<string> =>
  (
    await call('POST', `/projects/${projectId}/testsets`, {
      name: 'Attack',
      description: '',
      jsonSchema: { type: 'object', properties: { answer: { type: 'string' } } },
      fieldMapping: { inputs: [], expected: [], metadata: [] },
      ...testset,
    })
  ).id;

/** A built-in metric, which is quick: the work of such an attack is what surrounds it. */
export const builtin = {
  name: 'exact_match',
  options: { output: '/answer', expected: '/answer' },
};

export const record = { inputs: {}, expected: { answer: 'a' }, outputs: { answer: 'a' } };

/** Imports so many testcases, and returns their ids. */
export async function importTestcases(
  attacker: Attacker,
  testsetId: string,
  count: number,
): Promise<string[]> {
  const path = `/testsets/${testsetId}/testcases/import`;
  return idsOf(await upload(attacker, path, testcaseLine.repeat(count)));
}

export const testcaseLine = `${JSON.stringify({ jsonData: { answer: 'a' } })}\n`;

/** The ids in the lines of an upload's answer. */
const idsOf = (answered: string): string[] =>
  answered.split('\n').flatMap((line) => {
    const { id } = JSON.parse(line || '{}');
    return id === undefined ? [] : [id];
  });
