import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { type IncomingMessage, request as openRequest } from 'node:http';
import { newId } from '@assay/runtime/ids';
import { heldMiB } from '@assay/testing/held-memory';
import { poll } from '@assay/testing/poll';
import { asMember, missingId, useRunRecords } from '@assay/testing/run-records';
import { volume } from '@assay/testing/volume';
import { parse } from 'csv-parse/sync';
import { parquetReadObjects } from 'hyparquet';
import { type Db, type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';

// Services of its own: other files go through all records of theirs, which these would be among.
const { config, newMember, newMetric, newRecord, newRun, request, sealed, url } = useRunRecords({
  config: {},
});

const formats = ['ndjson', 'csv', 'parquet'] as const;
type Format = (typeof formats)[number];

type StoredDocument = Document & { _id: string };

let client: MongoClient;
let database: Db;
beforeAll(() => {
  client = new MongoClient(config().MONGODB_URI);
  database = client.db(`${config().DATABASE_PREFIX}_run-records`);
});
afterAll(() => client.close());

const pathOf = (runId: string, format: Format) => `/runs/${runId}/records/export?format=${format}`;

/** An export whose reply has begun, and whose reader has read nothing of it so far. */
async function open(runId: string, format: Format): Promise<IncomingMessage> {
  const path = pathOf(runId, format);
  const sending = openRequest(`${url()}${path}`, { headers: sealed('GET', path) });
  sending.end();
  const [response] = await once(sending, 'response');
  return response;
}

async function readAll(response: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const pieces: Uint8Array[] = [];
  for await (const piece of response) pieces.push(piece);
  return Buffer.concat(pieces);
}

const read = async (runId: string, format: Format) => readAll(await open(runId, format));
const linesOf = async (runId: string) =>
  (await read(runId, 'ndjson'))
    .toString()
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line));
const cellsOf = async (runId: string) =>
  parse(await read(runId, 'csv'), { columns: true, record_delimiter: '\n' }) as Record<
    string,
    string
  >[];
const rowsOf = async (runId: string) =>
  parquetReadObjects({ file: new Uint8Array(await read(runId, 'parquet')).buffer });

/** Many records like this one, stored past the service: their number is what matters. */
async function multiply(recordId: string, count: number, outputs: () => Uint8Array): Promise<void> {
  const records = database.collection<StoredDocument>('records');
  const record = (await records.findOne({ _id: recordId }))!;
  for (let stored = 0; stored < count; stored += 1000) {
    const copyOf = () => ({
      ...record,
      _id: newId(),
      kept: { ...record.kept, outputs: outputs() },
    });
    await records.insertMany(Array.from({ length: Math.min(1000, count - stored) }, copyOf));
  }
}

/** The same of a record whose payloads lie in chunks. */
async function multiplyChunked(recordId: string, count: number): Promise<void> {
  const [records, chunks] = [
    database.collection<StoredDocument>('records'),
    database.collection<StoredDocument>('record_chunks'),
  ];
  const record = (await records.findOne({ _id: recordId }))!;
  const own = await chunks.find({ _id: { $gt: recordId, $lt: `${recordId}~` } }).toArray();
  for (let stored = 0; stored < count; stored++) {
    const _id = newId();
    for (const chunk of own)
      await chunks.insertOne({ ...chunk, _id: chunk._id.replace(recordId, _id) });
    await records.insertOne({ ...record, _id });
  }
}

/** A run of as many records with a few KiB each that cannot be compressed. */
async function longRun(records: number): Promise<string> {
  const { id } = await newRun();
  const { body } = await newRecord(id);
  await multiply(body.id, records - 1, () =>
    Buffer.from(`{"text":"${randomBytes(4500).toString('base64')}"}`),
  );
  return id;
}

interface IdleCursor {
  cursorId: unknown;
  nDocsReturned: unknown;
}

/** The cursors over records that are open at this moment and wait to be asked for more. */
async function idleCursors(): Promise<IdleCursor[]> {
  const operations = await client
    .db('admin')
    .aggregate([
      { $currentOp: { allUsers: true, idleCursors: true } },
      { $match: { type: 'idleCursor', ns: `${database.databaseName}.records` } },
    ])
    .toArray();
  return operations.map(({ cursor }) => cursor);
}

/** Waits until nothing more is read for the one reader that reads nothing. */
async function cursorAtRest(): Promise<IdleCursor> {
  let before = '';
  return poll('the cursor rests', async () => {
    const [cursor] = await idleCursors();
    const now = String(cursor?.nDocsReturned);
    const isAtRest = cursor !== undefined && now === before;
    before = now;
    return isAtRest && cursor;
  });
}

/** Reads an export to its end, and gives the most that was held meanwhile, in MiB. */
async function mostHeldMiB(runId: string, format: Format): Promise<number> {
  const before = heldMiB();
  let [most, bytes, measuredAt] = [0, 0, 0];
  for await (const piece of await open(runId, format)) {
    bytes += piece.length;
    // To measure is to collect the garbage of the whole thread.
    if (bytes < measuredAt + 30 * 1024 * 1024) continue;
    most = Math.max(most, heldMiB());
    measuredAt = bytes;
  }
  expect(most).toBeGreaterThan(0);
  return most - before;
}

describe('a run comes back whole', () => {
  test('with what each record shows, what the client gave with it, and its scores, in every format', async () => {
    const metricIds = [
      await newMetric({ evalType: 'human', outputType: 'boolean', name: 'correct' }),
      await newMetric({ evalType: 'human', outputType: 'int', name: 'clear', annotators: 2 }),
      await newMetric({ evalType: 'human', outputType: 'float', name: 'correct' }),
    ];
    const run = await newRun({ metricIds });
    const [correct, clear] = run.metricVersionIds;
    const given = { clientId: '=1+1', otelLinkId: 'span-1', sessionId: '-s', tags: ['a', 'b,c'] };
    const first = (await newRecord(run.id, given)).body.id;
    const second = (await newRecord(run.id)).body.id;
    const put = (recordId: string, versionId: string, score: object, options = {}) =>
      request('PUT', `/records/${recordId}/scores/${versionId}`, { score }, options);
    await put(first, correct, { binaryScore: true, reasoning: '=HYPERLINK("x")' });
    await put(first, clear, { intScore: 2, reasoning: 'short' });
    await put(first, clear, { intScore: 5, reasoning: 'clear' }, asMember(await newMember()));
    await put(second, clear, { intScore: 3 });
    await put(second, correct, { binaryScore: 'yes' });

    const shown = async (recordId: string) => {
      const { missingScores: _states, ...record } = (await request('GET', `/records/${recordId}`))
        .body;
      return record;
    };
    const lines = await linesOf(run.id);
    expect(lines).toEqual([
      {
        ...(await shown(first)),
        createdAt: expect.any(String),
        ...given,
      },
      {
        ...(await shown(second)),
        createdAt: expect.any(String),
        tags: [],
      },
    ]);
    expect(lines.map(({ scores }) => scores.length)).toEqual([3, 2]);

    const ofFirst = {
      id: first,
      otelLinkId: 'span-1',
      tags: '["a","b,c"]',
      inputs: '{"question":"q"}',
    };
    const cells = await cellsOf(run.id);
    expect(cells[0]).toMatchObject({
      ...ofFirst,
      clientId: "'=1+1",
      sessionId: "'-s",
      createdAt: lines[0].createdAt,
      testcaseId: '',
    });
    expect(cells[0]).toMatchObject({
      correct: 'true',
      'correct reasoning': '\'=HYPERLINK("x")',
      clear: '2',
      'clear reasoning': 'short\nclear',
    });
    expect(cells[1]).toMatchObject({
      id: second,
      correct: '',
      clear: '',
      'correct (2)': '',
      'correct (2) reasoning': '',
    });

    const rows = await rowsOf(run.id);
    expect(rows[0]).toMatchObject({
      ...ofFirst,
      clientId: '=1+1',
      sessionId: '-s',
      createdAt: new Date(lines[0].createdAt),
      testcaseId: null,
    });
    expect(rows[0]).toMatchObject({
      correct: true,
      'correct reasoning': '=HYPERLINK("x")',
      clear: 2,
      'clear reasoning': 'short\nclear',
    });
    expect(rows[1]).toMatchObject({ id: second, correct: null, clear: null, 'correct (2)': null });
  });

  test('with payloads as the text that was sent, in NDJSON and CSV without its line breaks', async () => {
    const run = await newRun();
    const inputs =
      '{"__proto__":1,"$where":"x","a.b":[1e400,-0,1.0,\r\n 12345678901234567890],"nul":"\\u0000","half":"\\ud800","q":"\\""}';
    await request('POST', `/runs/${run.id}/records`, undefined, {
      raw: `{"inputs": ${inputs},"expected":{},"outputs":{ "a" : 1 }}`,
    });
    const onOneLine = inputs.replace('\r\n', '');
    expect((await read(run.id, 'ndjson')).toString()).toContain(
      `"inputs":${onOneLine},"expected":{},"outputs":{ "a" : 1 },"scores":[]`,
    );
    expect((await cellsOf(run.id))[0]).toMatchObject({
      inputs: onOneLine,
      expected: '{}',
      outputs: '{ "a" : 1 }',
    });
    expect((await rowsOf(run.id))[0]).toMatchObject({
      inputs,
      expected: '{}',
      outputs: '{ "a" : 1 }',
    });
  });

  test('oldest first, over more records than are read together', async () => {
    const run = await newRun();
    const { id } = (await newRecord(run.id)).body;
    await multiply(id, 700, () => Buffer.from('{}'));
    const stored = (
      await database
        .collection<StoredDocument>('records')
        .find({ runId: run.id })
        .sort({ _id: 1 })
        .toArray()
    ).map(({ _id }) => _id);
    expect(stored).toHaveLength(701);
    expect((await linesOf(run.id)).map(({ id }) => id)).toEqual(stored);
    expect((await cellsOf(run.id)).map(({ id }) => id)).toEqual(stored);
    expect((await rowsOf(run.id)).map(({ id }) => id)).toEqual(stored);
  });

  test('also when it is empty: no line, a header, a table without rows', async () => {
    const run = await newRun({
      metricIds: [await newMetric({ evalType: 'human', outputType: 'int', name: '=m' })],
    });
    const columns =
      'id,testcaseId,createdAt,clientId,otelLinkId,sessionId,tags,inputs,expected,outputs';
    const [lines, cells] = [
      await request('GET', pathOf(run.id, 'ndjson')),
      await request('GET', pathOf(run.id, 'csv')),
    ];
    expect([lines.status, lines.headers.get('content-type'), lines.text]).toEqual([
      200,
      'application/x-ndjson',
      '',
    ]);
    expect([cells.status, cells.headers.get('content-type')]).toEqual([
      200,
      'text/csv; charset=utf-8',
    ]);
    expect(cells.text).toBe(
      `${columns},'=m,'=m reasoning,latencyMs,inputTokens,outputTokens,costUsd,metadata,error_name,error_message\n`,
    );
    expect(await rowsOf(run.id)).toEqual([]);
  });

  test('without a format as NDJSON; no other format is known', async () => {
    const run = await newRun();
    expect(
      (await request('GET', `/runs/${run.id}/records/export`)).headers.get('content-type'),
    ).toBe('application/x-ndjson');
    expect((await request('GET', `/runs/${run.id}/records/export?format=xml`)).status).toBe(400);
  });
});

describe('many records of a few KiB', () => {
  let runId: string;
  beforeAll(async () => {
    // Together more bytes than the bound.
    runId = await longRun(volume(20_000, 12_500));
  });

  test.each(formats)('leave in flat memory as %s', async (format) => {
    expect(await mostHeldMiB(runId, format)).toBeLessThan(70);
  });
});

describe('records of many megabytes', () => {
  const inputs = `{"text":"${randomBytes(11 * 1024 * 1024 - 1024).toString('base64')}",\n"digits":[1.0,1e400]}`;
  const onOneLine = inputs.replace('\n', '');
  let runId: string;
  let recordId: string;
  beforeAll(async () => {
    runId = (await newRun()).id;
    const raw = `{"inputs":${inputs},"expected":{},"outputs":{}}`;
    recordId = (await request('POST', `/runs/${runId}/records`, undefined, { raw })).body.id;
  });

  test('come back byte for byte', async () => {
    expect((await read(runId, 'ndjson')).includes(`"inputs":${onOneLine},"expected":{}`)).toBe(
      true,
    );
    expect((await cellsOf(runId))[0]!.inputs === onOneLine).toBe(true);
    expect((await rowsOf(runId))[0]!.inputs === inputs).toBe(true);
  });

  test('leave in flat memory', async () => {
    await multiplyChunked(recordId, 9);
    for (const format of formats) expect(await mostHeldMiB(runId, format)).toBeLessThan(100);
  });
});

describe('a reader', () => {
  let runId: string;
  beforeAll(async () => {
    runId = await longRun(10_000);
  });

  test.each(formats)(
    'who reads slowly holds the reading back, and gets all in the end: %s',
    async (format) => {
      const response = await open(runId, format);
      const { nDocsReturned } = await cursorAtRest();
      expect(Number(nDocsReturned)).toBeLessThan(8_000);
      const file = await readAll(response);
      if (format === 'parquet')
        expect(
          await parquetReadObjects({ file: new Uint8Array(file).buffer, columns: ['id'] }),
        ).toHaveLength(10_000);
      else expect(file.toString().split('\n')).toHaveLength(format === 'csv' ? 10_002 : 10_001);
      expect(await idleCursors()).toEqual([]);
    },
  );

  test.each(formats)('who leaves early leaves no cursor open: %s', async (format) => {
    const response = await open(runId, format);
    await cursorAtRest();
    response.destroy();
    await poll('the cursor is closed', async () => (await idleCursors()).length === 0);
  });

  test.each(formats)(
    'sees the connection end when the database fails in the middle: %s',
    async (format) => {
      const response = await open(runId, format);
      const { cursorId } = await cursorAtRest();
      await database.command({ killCursors: 'records', cursors: [cursorId] });
      await expect(readAll(response)).rejects.toThrow('aborted');
    },
  );

  test('sees the connection end when the run is deleted meanwhile', async () => {
    const id = await longRun(4000);
    const response = await open(id, 'ndjson');
    await cursorAtRest();
    expect((await request('DELETE', `/runs/${id}`)).status).toBe(200);
    await expect(readAll(response)).rejects.toThrow('aborted');
  });
});

describe('refusals', () => {
  test("a run that is not there, or is another organization's, is a 404", async () => {
    const run = await newRun();
    for (const format of formats) {
      expect((await request('GET', pathOf(missingId, format))).status).toBe(404);
      const foreign = await request('GET', pathOf(run.id, format), undefined, {
        identity: { organizationId: missingId },
      });
      expect([foreign.status, foreign.body.code]).toEqual([404, 'NOT_FOUND']);
    }
  });

  test.each(formats)(
    'what fails before the first byte is an ordinary failure: %s',
    async (format) => {
      const run = await newRun();
      const { id } = (await newRecord(run.id, { inputs: { text: 'x'.repeat(300_000) } })).body;
      await database
        .collection<StoredDocument>('record_chunks')
        .deleteMany({ _id: { $gt: id, $lt: `${id}~` } });
      const reply = await request('GET', pathOf(run.id, format));
      expect([reply.status, reply.body?.code]).toEqual([503, 'SERVICE_UNAVAILABLE']);
    },
  );
});
