import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { request } from 'node:http';
import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { missingId, payloads, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const setting = useRunRecords();
const { newRun, getRun } = setting;

const lineOf = (change: object = {}) => JSON.stringify({ ...payloads, ...change });
const linesOf = (text: string) =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const upload = (runId: string, raw: string | Uint8Array, headers = {}) =>
  setting.request('POST', `/runs/${runId}/records/bulk`, undefined, {
    raw,
    headers: { 'content-type': 'application/x-ndjson', ...headers },
  });
const uploadLines = async (runId: string, lines: string[], headers = {}) =>
  linesOf((await upload(runId, lines.join('\n'), headers)).text);

/** An upload whose body is sent piece by piece, with its answer lines as they come. */
async function* openUpload(
  runId: string,
  pieces: AsyncIterable<string>,
  signal?: AbortSignal,
): AsyncGenerator<Record<string, unknown>> {
  const path = `/runs/${runId}/records/bulk`;
  const sending = request(`${setting.url()}${path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/x-ndjson', ...setting.sealed('POST', path) },
    ...(signal ? { signal } : {}),
  });
  sending.on('error', () => sending.destroy());
  Readable.from(pieces).pipe(sending);
  const [response] = await once(sending, 'response');
  for await (const line of createInterface({ input: response })) yield JSON.parse(line);
}

async function allRecords(
  runId: string,
): Promise<{ id: string; inputs: Record<string, unknown> }[]> {
  const found: { id: string; inputs: Record<string, unknown> }[] = [];
  let cursor: string | null = '';
  while (cursor !== null) {
    const { body } = await setting.request(
      'GET',
      `/runs/${runId}/records?limit=100${cursor && `&cursor=${cursor}`}`,
    );
    found.push(...body.data);
    cursor = body.nextCursor;
  }
  return found;
}

describe('a line is a record', () => {
  test('every line is answered in order, and a wrong one does not stop the others', async () => {
    const { id } = await newRun();
    const lines = [
      lineOf({ inputs: { n: 0 } }),
      '{"inputs": {}',
      '',
      lineOf({ outputs: 7 }),
      '[]',
      lineOf({ inputs: { n: 1 }, tags: ['a'] }),
    ];
    const answers = await uploadLines(id, lines);
    expect(answers.map(({ index, status, code }) => [index, status, code])).toEqual([
      [0, 201, undefined],
      [1, 400, 'MALFORMED_JSON'],
      [2, 400, 'VALIDATION_ERROR'],
      [3, 400, 'VALIDATION_ERROR'],
      [4, 201, undefined],
    ]);
    expect(answers[2].details.issues).toEqual([{ path: '/outputs', message: expect.any(String) }]);
    expect((await allRecords(id)).map((record) => [record.id, record.inputs.n])).toEqual([
      [answers[0].id, 0],
      [answers[4].id, 1],
    ]);
    expect((await getRun(id)).numRecords).toBe(2);
  });

  test('ten thousand lines are stored in the order of the body, each once, and the account is theirs', async () => {
    const metricId = await setting.newMetric();
    const { id } = await newRun({ metricIds: [metricId] });
    const count = 10_000;
    const answers = await uploadLines(
      id,
      Array.from({ length: count }, (_, n) => lineOf({ inputs: { n } })),
    );
    expect(answers.every(({ status }) => status === 201)).toBe(true);
    const run = await getRun(id);
    expect([run.numRecords, run.scoring.expected]).toEqual([count, count]);
    const records = await allRecords(id);
    expect(records.map(({ inputs }) => inputs.n)).toEqual(
      Array.from({ length: count }, (_, n) => n),
    );
    expect(records.map((record) => record.id)).toEqual(answers.map((answer) => answer.id));
  });

  test('the first of two lines with one clientId makes the record, also where it is read slowly', async () => {
    const { testset } = await setting.newTestset(0);
    const { id } = await newRun({ testsetId: testset });
    // The line after the last newline is read in a batch of its own, and needs no other service.
    const answers = await uploadLines(id, [
      ...Array.from({ length: 200 }, () => lineOf({ testcaseId: randomUUID() })),
      lineOf({ clientId: 'same' }),
      lineOf({ clientId: 'same' }),
    ]);
    expect(answers.slice(-3).map(({ status }) => status)).toEqual([400, 201, 200]);
  });

  test('a testcase that is not of the run’s testset is told at its line', async () => {
    const { testset, testcaseIds } = await setting.newTestset(1);
    const { id } = await newRun({ testsetId: testset });
    const answers = await uploadLines(id, [
      lineOf({ testcaseId: testcaseIds[0] }),
      lineOf({ testcaseId: missingId }),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([201, 400]);
    expect(answers[1].details.issues[0].path).toBe('/testcaseId');
  });

  test('a line of exactly 15 MiB is stored as it is, and one byte more is its own 413', async () => {
    const { id } = await newRun();
    const bytesMax = 15 * 1024 * 1024;
    const empty = lineOf({ outputs: { text: '' } });
    const whole = lineOf({ outputs: { text: 'x'.repeat(bytesMax - empty.length) } });
    const tooLong = lineOf({ outputs: { text: 'x'.repeat(bytesMax - empty.length + 1) } });
    const answers = await uploadLines(id, [whole, tooLong, lineOf()]);
    expect(answers.map(({ status, code }) => [status, code])).toEqual([
      [201, undefined],
      [413, 'PAYLOAD_TOO_LARGE'],
      [201, undefined],
    ]);
    expect(answers[1].details).toEqual({ limitBytes: bytesMax });
    const { body } = await setting.request('GET', `/records/${answers[0].id}`);
    expect(body.outputs.text.length).toBe(bytesMax - empty.length);
  });
});

describe('an upload', () => {
  test('of nothing is answered by nothing', async () => {
    const { id } = await newRun();
    const { status, text, headers } = await upload(id, '\n\n');
    expect([status, text, headers.get('content-type')]).toEqual([200, '', 'application/x-ndjson']);
  });

  test('to a run that is not there is a 404, and one of another type a 415', async () => {
    const { id } = await newRun();
    expect((await upload(missingId, lineOf())).body.code).toBe('NOT_FOUND');
    expect((await upload(id, lineOf(), { 'content-type': 'application/json' })).status).toBe(415);
  });

  test('of a client that waits for each answer before it sends the next line goes on', async () => {
    const { id } = await newRun();
    let goOn: () => void = () => undefined;
    async function* pieces() {
      for (let n = 0; n < 5; n++) {
        const answered = new Promise<void>((resolve) => {
          goOn = resolve;
        });
        yield `${lineOf({ inputs: { n } })}\n`;
        await answered;
      }
    }
    const indexes: unknown[] = [];
    for await (const { index, status } of openUpload(id, pieces())) {
      indexes.push([index, status]);
      goOn();
    }
    expect(indexes).toEqual([0, 1, 2, 3, 4].map((index) => [index, 201]));
  });

  test('that is cut has stored what it answered, and its repeat with client ids completes it without doubles', async () => {
    const { id } = await newRun();
    const count = 5000;
    const lines = Array.from({ length: count }, (_, n) =>
      lineOf({ clientId: `c${n}`, inputs: { n } }),
    );
    const cut = new AbortController();
    const answered: string[] = [];
    async function* pieces() {
      for (const line of lines) yield `${line}\n`;
    }
    await expect(async () => {
      for await (const { id } of openUpload(id_(), pieces(), cut.signal)) {
        answered.push(id as string);
        if (answered.length === 500) cut.abort();
      }
    }).rejects.toThrow();
    const answers = await uploadLines(id, lines);
    expect(answers.slice(0, 500).map((answer) => answer.id)).toEqual(answered.slice(0, 500));
    expect(answers.slice(0, 500).every(({ status }) => status === 200)).toBe(true);
    expect(new Set(answers.map((answer) => answer.id)).size).toBe(count);
    expect((await getRun(id)).numRecords).toBe(count);

    function id_() {
      return id;
    }
  });

  test('of a run that is deleted meanwhile ends with a last line that says so', async () => {
    const { id } = await newRun();
    let isDeleted = false;
    async function* pieces() {
      yield `${lineOf()}\n`;
      await expect.poll(() => isDeleted).toBe(true);
      yield `${lineOf()}\n${lineOf()}\n`;
    }
    const answers: Record<string, unknown>[] = [];
    for await (const answer of openUpload(id, pieces())) {
      answers.push(answer);
      if (isDeleted) continue;
      await setting.request('DELETE', `/runs/${id}`);
      isDeleted = true;
    }
    expect(answers.map(({ index, status, code }) => [index, status, code])).toEqual([
      [0, 201, undefined],
      [1, 404, 'NOT_FOUND'],
    ]);
  });
});

describe('a client id', () => {
  test('is unique in its run: a repeat gives the record that is there, alone or in an upload', async () => {
    const [one, other] = [await newRun(), await newRun()];
    const [first] = await uploadLines(one.id, [lineOf({ clientId: 'c' })]);
    const again = await uploadLines(one.id, [
      lineOf({ clientId: 'd' }),
      lineOf({ clientId: 'c' }),
      lineOf({ clientId: 'd' }),
    ]);
    expect(again.map(({ status }) => status)).toEqual([201, 200, 200]);
    expect([again[1].id, again[2].id]).toEqual([first.id, again[0].id]);
    const single = await setting.newRecord(one.id, { clientId: 'c', inputs: { other: true } });
    expect([single.status, single.body.id, single.body.inputs]).toEqual([
      200,
      first.id,
      payloads.inputs,
    ]);
    expect((await uploadLines(other.id, [lineOf({ clientId: 'c' })]))[0].status).toBe(201);
    expect((await getRun(one.id)).numRecords).toBe(2);
  });

  test('that several uploads bring at once makes one record', async () => {
    const { id } = await newRun();
    const lines = Array.from({ length: 3000 }, (_, n) => lineOf({ clientId: `c${n}` }));
    const uploads = await Promise.all([
      uploadLines(id, lines),
      uploadLines(id, lines.toReversed()),
      uploadLines(id, lines),
    ]);
    const [first, second, third] = uploads.map((answers) => answers.map((answer) => answer.id));
    expect(second!.toReversed()).toEqual(first);
    expect(third).toEqual(first);
    expect((await getRun(id)).numRecords).toBe(lines.length);
  });
});

describe('an Idempotency-Key', () => {
  test('gives each line its first answer again, stores what was missing, and takes no other line in a line’s place', async () => {
    const { id } = await newRun();
    const headers = { 'idempotency-key': 'upload-1' };
    const lines = [0, 1, 2].map((n) => lineOf({ inputs: { n } }));
    const first = await uploadLines(id, lines.slice(0, 2), headers);
    const second = await uploadLines(id, lines, headers);
    expect(second.slice(0, 2)).toEqual(first);
    expect(second[2].status).toBe(201);
    const third = await uploadLines(id, [lines[1]!, lines[1]!], headers);
    expect(third.map(({ status }) => status)).toEqual([409, 201]);
    expect((await getRun(id)).numRecords).toBe(3);
  });
});
