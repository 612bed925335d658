import { ApiError, connectionFault, type Issue, send, urlOf } from './request.ts';

/**
 * Testcases with their data as JSON text, as it is written and not as JavaScript would write it: no
 * digit is lost.
 */
const json = { 'content-type': 'application/json' };

/** Returns the data of a testcase. */
export async function readData(testcaseId: string): Promise<string> {
  const response = await send(urlOf('/testcases/:testcaseId/data', { params: { testcaseId } }));
  return response.text();
}

/** Replaces the data of a testcase. */
export async function replaceData(testcaseId: string, data: string): Promise<void> {
  await send(urlOf('/testcases/:testcaseId', { params: { testcaseId } }), {
    method: 'PUT',
    headers: json,
    body: `{"jsonData":${data}}`,
  });
}

/** Creates 1 to 100 testcases, all or none; once, however often it is asked with this key. */
export async function createFrom(testsetId: string, data: string[], key: string): Promise<void> {
  await send(urlOf('/testsets/:testsetId/testcases', { params: { testsetId } }), {
    method: 'POST',
    headers: { ...json, 'idempotency-key': key },
    body: `{"items":[${data.map((one) => `{"jsonData":${one}}`).join(',')}]}`,
  });
}

/** The last line of an import: what it did, or would do. */
export interface ImportSummary {
  created: number;
  updated: number;
  unchanged: number;
  deleted: number;
  refused: number;
  invalid: number;
}

/** The answer to one entry of an import. */
export interface EntryAnswer {
  status: number;
  id?: string;
  outcome?: 'created' | 'updated' | 'unchanged';
  validationErrors?: Issue[];
  /** Of an entry that was refused. */
  code?: string;
  message?: string;
  details?: { issues?: Issue[] };
}

/** Answers that say that the service is away for the moment. */
const isPassing = (status: number): boolean => status === 0 || status === 429 || status >= 500;
const triesMax = 5;

/**
 * Sends entries, each the JSON text of an object on one line, and returns the answer to each. With a
 * key they are stored once, however often they are sent; without one they are only checked. A
 * service that is away is asked again a few times.
 * @throws ApiError where no answer to all of them came.
 */
export async function importEntries(
  testsetId: string,
  entries: string[],
  { key, isUpsert, signal, onAway }: ImportOptions,
): Promise<EntryAnswer[]> {
  const once = () => importOnce(testsetId, entries, { key, isUpsert, signal });
  return whileAway(once, { signal, onAway });
}

/**
 * Replaces the testcases of a testset by the lines of a body, or tells what that would do. One request
 * has them all: at its end the testcases that it does not name are deleted.
 */
export async function syncEntries(
  testsetId: string,
  body: Blob,
  { isDryRun, signal, onAway }: Waiting & { isDryRun: boolean },
): Promise<ImportSummary> {
  const url = urlOf('/testsets/:testsetId/testcases/import', {
    params: { testsetId },
    query: { mode: 'sync', answers: 'summary', ...(isDryRun ? { dryRun: 'true' } : {}) },
  });
  return whileAway(
    async () => {
      const headers = { 'content-type': 'application/x-ndjson' };
      const response = await send(url, { method: 'POST', headers, body, signal });
      const last = JSON.parse(await response.text().catch(connectionFault));
      if (!last.summary) throw new ApiError(last, { status: last.status });
      return last.summary;
    },
    { signal, onAway },
  );
}

/** Asks again a few times while the service is away. */
async function whileAway<Reply>(
  ask: () => Promise<Reply>,
  { signal, onAway }: Waiting,
): Promise<Reply> {
  for (let tries = 1; ; tries += 1) {
    try {
      return await ask();
    } catch (error) {
      if (!(error instanceof ApiError) || !isPassing(error.status) || tries === triesMax)
        throw error;
      onAway?.();
      // A gateway whose service restarts says one second each time: that is over too soon.
      const seconds = Math.max(error.retryAfterSeconds ?? 0, 2 ** tries);
      await wait(seconds * 1000, signal);
    }
  }
}

interface Waiting {
  signal: AbortSignal;
  /** Called when the service is away, before it is asked again. */
  onAway?: (() => void) | undefined;
}

interface ImportOptions extends Waiting {
  key?: string | undefined;
  /** Whether entries replace the data of the testcases that have their keys. */
  isUpsert?: boolean | undefined;
}

/** Rejects at once when the signal ends it. */
const wait = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const end = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', end);
      resolve();
    }, ms);
    signal.addEventListener('abort', end, { once: true });
  });

async function importOnce(
  testsetId: string,
  entries: string[],
  { key, isUpsert, signal }: Omit<ImportOptions, 'onAway'>,
): Promise<EntryAnswer[]> {
  const url = urlOf('/testsets/:testsetId/testcases/import', {
    params: { testsetId },
    query: {
      ...(isUpsert ? { mode: 'upsert' } : {}),
      ...(key === undefined ? { dryRun: 'true' } : {}),
    },
  });
  const response = await send(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/x-ndjson',
      ...(key === undefined ? {} : { 'idempotency-key': key }),
    },
    body: entries.join('\n'),
    signal,
  });
  const lines = (await response.text().catch(connectionFault))
    .split('\n')
    .filter((line) => line !== '');
  const answers = lines
    .map((line) => JSON.parse(line) as EntryAnswer)
    .filter((answer) => !('summary' in answer));
  // The last line says why the rest was not read, or could not be stored.
  const last = answers.at(-1);
  if (answers.length < entries.length || (last && isPassing(last.status)))
    throw new ApiError(
      {
        code: last?.code ?? 'NETWORK',
        message: last?.message ?? 'The answer broke off.',
      },
      { status: last?.code ? last.status : 0 },
    );
  return answers;
}

/** A key that nobody has used, for requests that may be repeated. */
export const newKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
    byte.toString(16).padStart(2, '0'),
  ).join('');
