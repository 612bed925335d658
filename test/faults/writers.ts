import { createHash } from 'node:crypto';
import { poll } from '@assay/testing/poll';
import type { Reply } from '@assay/testing/reply';
import { expect } from 'vitest';
import type { Call, CallOptions } from '../system/installation.ts';
import type { Dice } from './seed.ts';

/** Everything that was acknowledged to a client. */
export interface Ledger {
  /** Records by the number in their inputs; undefined when it was deleted. */
  records: Map<number, { id: string; runId: string } | undefined>;
  /** The score that a person gave last, by record. */
  scores: Map<string, boolean>;
  testcases: Map<number, string>;
  /** Bytes by the attachment's id. */
  attachments: Map<string, string>;
  /** The description of the schema that was set last. */
  schema: number;
}

export interface Writers {
  ledger: Ledger;
  runIds: string[];
  testsetId: string;
  /** What was acknowledged until now. */
  count(): number;
  /** Resolves when all that was begun is acknowledged. */
  stop(): Promise<void>;
}

/**
 * Clients that write all kinds of things at once, and repeat what was not answered with the same
 * key until it is.
 */
export async function startWriters(call: Call, dice: Dice): Promise<Writers> {
  let acknowledged = 0;
  let next = 0;
  let isStopping = false;
  const unique = `${dice.below(2 ** 31)}`;
  const ledger: Ledger = {
    records: new Map(),
    scores: new Map(),
    testcases: new Map(),
    attachments: new Map(),
    schema: 0,
  };

  /** Until it is answered for good. */
  async function persist(
    method: string,
    path: string,
    body?: unknown,
    options: CallOptions & { gone?: true } = {},
  ): Promise<Reply> {
    let last = 'nothing was asked';
    const bytes = JSON.stringify(body ?? '').length;
    const name = `${method} ${path} of ${bytes} bytes is answered`;
    return poll(name, async () => {
      const askedMs = performance.now();
      const reply = await call(method, path, body, options).catch((error: Error) => {
        last = error.message;
      });
      if (reply) last = `${reply.status} ${reply.text}`;
      last += ` after ${((performance.now() - askedMs) / 1000).toFixed(1)} s`;
      if (!reply || [409, 503].includes(reply.status)) return undefined;
      const isExpected = reply.status < 300 || (options.gone && reply.status === 404);
      expect(isExpected, `${method} ${path}: ${reply.status} ${reply.text}`).toBe(true);
      return reply;
    }).catch((error: Error) => {
      throw new Error(`${error.message} The last answer: ${last}`, { cause: error });
    });
  }
  const keyed = (name: string): CallOptions => ({
    headers: { 'idempotency-key': `${unique}-${name}` },
  });

  const project = (
    await persist('POST', '/projects', { name: 'faults', description: '' }, keyed('project'))
  ).body;
  const newMetric = async (name: string, shape: object): Promise<string> =>
    (
      await persist(
        'POST',
        `/projects/${project.id}/metrics`,
        { name, outputType: 'boolean', ...shape },
        keyed(name),
      )
    ).body.id;
  const metricIds = [
    await newMetric('same', {
      evalType: 'heuristic',
      builtin: { name: 'exact_match', options: {} },
    }),
    await newMetric('human', { evalType: 'human' }),
  ];
  const testset = {
    name: 't',
    description: '0',
    jsonSchema: {},
    fieldMapping: { inputs: ['question'], expected: [], metadata: [] },
  };
  const testsetId: string = (
    await persist('POST', `/projects/${project.id}/testsets`, testset, keyed('testset'))
  ).body.id;
  const runs: { id: string; metricVersionIds: string[] }[] = [];
  for (const name of ['run 1', 'run 2'])
    runs.push(
      (await persist('POST', `/projects/${project.id}/runs`, { metricIds }, keyed(name))).body,
    );

  const payloads = (index: number, size: number) => ({
    inputs: { index, text: 'x'.repeat(size) },
    expected: { answer: 'a' },
    outputs: { answer: index % 3 === 0 ? 'a' : 'b' },
  });
  const largeBytes = 300 * 1024;

  async function writeRecord(): Promise<void> {
    const [index, run] = [next++, dice.pick(runs)];
    const body = payloads(index, dice.below(12) === 0 ? largeBytes : 10);
    const { id } = (
      await persist('POST', `/runs/${run.id}/records`, body, keyed(`record-${index}`))
    ).body;
    ledger.records.set(index, { id, runId: run.id });
    if (dice.below(15) > 0) return;
    await persist('DELETE', `/records/${id}`, undefined, { gone: true });
    ledger.records.set(index, undefined);
  }

  /** Sends a streamed body again and again until each of its lines is answered for good. */
  async function stream(
    method: string,
    path: string,
    lines: object[],
    heard: (answers: { index: number; status: number; id: string }[]) => void,
  ): Promise<void> {
    const raw = lines.map((line) => JSON.stringify(line)).join('\n');
    const headers = { 'content-type': 'application/x-ndjson' };
    await poll(`${method} ${path} is answered whole`, async () => {
      const reply = await call(method, path, undefined, { raw, headers }).catch(() => undefined);
      if (reply?.status !== 200) return false;
      const whole = reply.text.split('\n').filter((line) => line.endsWith('}'));
      const answers: { index: number; status: number; id: string }[] = whole.map((line) =>
        JSON.parse(line),
      );
      heard(answers);
      return (
        answers.length === lines.length &&
        answers.every(({ status }) => status < 300 || status === 404)
      );
    });
  }

  /** A broken answer is repeated whole: the lines that are stored are known by the client's ids. */
  async function writeBulk(): Promise<void> {
    const run = dice.pick(runs);
    const indexes = Array.from({ length: 30 }, () => next++);
    const large = dice.below(60);
    const broughtBy = (index: number) => (index % 3 === 0 ? index % 2 === 0 : undefined);
    const lines = indexes.map((index, line) => {
      const value = broughtBy(index);
      const score = { binaryScore: value, reasoning: 'brought' };
      return {
        clientId: `c${index}`,
        ...payloads(index, line === large ? largeBytes : 10),
        ...(value === undefined
          ? {}
          : { scores: [{ metricConfigId: run.metricVersionIds[1], score }] }),
      };
    });
    await stream('POST', `/runs/${run.id}/records/bulk`, lines, (answers) => {
      for (const { index, status, id } of answers) {
        if (status >= 300) {
          expect([409, 503], JSON.stringify(answers)).toContain(status);
          continue;
        }
        const value = broughtBy(indexes[index]!);
        if (value !== undefined) ledger.scores.set(id, value);
        ledger.records.set(indexes[index]!, { id, runId: run.id });
      }
    });
  }

  async function writeScores(): Promise<void> {
    const run = dice.pick(runs);
    const unscored = [...ledger.records.values()].flatMap((record) =>
      record?.runId === run.id && !ledger.scores.has(record.id) ? [record.id] : [],
    );
    const value = dice.below(2) === 0;
    const ids = unscored.slice(0, 20);
    const lines = ids.map((recordId) => ({
      recordId,
      metricConfigId: run.metricVersionIds[1],
      score: { binaryScore: value, reasoning: 'seen' },
    }));
    await stream('PUT', `/runs/${run.id}/scores/bulk`, lines, (answers) => {
      for (const { index, status } of answers)
        if (status < 300) ledger.scores.set(ids[index]!, value);
        else expect([404, 409, 503], JSON.stringify(answers)).toContain(status);
    });
  }

  async function writeScore(): Promise<void> {
    const record = dice.pick([...ledger.records.values()]);
    // One writer gives scores, and no record has two: the last one is known.
    if (!record || ledger.scores.has(record.id)) return;
    const { metricVersionIds } = runs.find(({ id }) => id === record.runId)!;
    const value = dice.below(2) === 0;
    const score = { binaryScore: value, reasoning: 'seen' };
    const reply = await persist(
      'PUT',
      `/records/${record.id}/scores/${metricVersionIds[1]}`,
      { score },
      { gone: true },
    );
    if (reply.status < 300) ledger.scores.set(record.id, value);
  }

  async function writeTestcases(): Promise<void> {
    const numbers = [next++, next++, next++];
    const items = numbers.map((question) => ({ jsonData: { question } }));
    const reply = await persist(
      'POST',
      `/testsets/${testsetId}/testcases`,
      { items },
      keyed(`testcases-${numbers[0]}`),
    );
    for (const [position, number] of numbers.entries())
      ledger.testcases.set(number, reply.body.items[position].id);
  }

  async function changeSchema(): Promise<void> {
    const number = next++;
    const jsonSchema = {
      type: 'object',
      properties: { question: { type: 'number', minimum: number } },
    };
    await persist('PATCH', `/testsets/${testsetId}`, { jsonSchema, description: String(number) });
    ledger.schema = number;
  }

  async function writeAttachment(): Promise<void> {
    const bytes = `${unique} ${next++} ${'y'.repeat(dice.below(100_000))}`;
    const sha256 = createHash('sha256').update(bytes).digest('hex');
    const about = {
      sessionId: 's',
      filePath: `${sha256}.txt`,
      sha256,
      sizeBytes: bytes.length,
      contentType: 'text/plain',
    };
    const declared = (await persist('POST', '/attachments', about)).body;
    if (!declared.alreadyExists)
      await poll('the bytes are uploaded', async () => {
        const reply = await fetch(declared.uploadUrl, { method: 'PUT', body: bytes }).catch(
          () => undefined,
        );
        const isMissing = reply && reply.status >= 300;
        if (isMissing) expect([409, 503], await reply.text()).toContain(reply.status);
        return reply !== undefined && !isMissing;
      });
    await persist('POST', `/attachments/${declared.id}/commit`);
    ledger.attachments.set(declared.id, sha256);
  }

  /**
   * All of them wait where one is stuck: a fault must not be outrun by hundreds of thousands of
   * records.
   */
  async function repeat(write: () => Promise<void>): Promise<void> {
    while (!isStopping) {
      await write();
      acknowledged += 1;
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }
  const several = [
    writeRecord,
    writeRecord,
    writeRecord,
    writeBulk,
    () => (dice.below(2) === 0 ? writeScore() : writeScores()),
    writeTestcases,
    changeSchema,
    writeAttachment,
  ];
  const failures: unknown[] = [];
  const working = several.map((write) =>
    repeat(write).catch((error: unknown) => {
      isStopping = true;
      failures.push(error);
    }),
  );
  return {
    ledger,
    runIds: runs.map(({ id }) => id),
    testsetId,
    count: () => {
      if (failures.length > 0) throw failures[0];
      return acknowledged;
    },
    stop: async () => {
      isStopping = true;
      await Promise.all(working);
      if (failures.length > 0) throw failures[0];
    },
  };
}
