import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { start as startCatalog } from '@assay/catalog/service';
import { testcases as contract } from '@assay/contracts/testcases';
import { heldMiB } from '@assay/testing/held-memory';
import { volume } from '@assay/testing/volume';
import { startWorld, type World } from '@assay/testing/world';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { createTestset, linesOf } from './testset.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: startCatalog, testcases: start } });
});
afterAll(() => world.stop());

const types = { ndjson: 'application/x-ndjson', csv: 'text/csv', json: 'application/json' };
type Format = keyof typeof types;

const importAs = (format: Format, testsetId: string, raw: string | Uint8Array, headers = {}) =>
  world.request('POST', `/testsets/${testsetId}/testcases/import`, undefined, {
    raw,
    headers: { 'content-type': types[format], ...headers },
  });
const exportAs = async (format: Format, testsetId: string) =>
  (await world.request('GET', `/testsets/${testsetId}/testcases/export?format=${format}`)).text;
const dataOf = async (testsetId: string) =>
  (await world.request('GET', `/testsets/${testsetId}/testcases?limit=100`)).body.data.map(
    ({ jsonData }: { jsonData: object }) => jsonData,
  );
const count = async (testsetId: string) =>
  (await world.bus.asks(contract).testcases.count(world.identity, { testsetId })).count;

/**
 * Sends a body piece by piece, and gives what is answered as it comes. (A streamed body of Node's
 * fetch is not freed until its end.)
 */
async function stream(
  testsetId: string,
  type: string,
  pieces: AsyncIterable<Uint8Array>,
): Promise<AsyncIterable<Uint8Array>> {
  const path = `/testsets/${testsetId}/testcases/import`;
  const sending = request(`${world.urls.testcases}${path}`, {
    method: 'POST',
    headers: { 'content-type': type, ...world.sealed('POST', path) },
  });
  sending.on('error', () => sending.destroy());
  Readable.from(pieces).pipe(sending);
  const [response] = await once(sending, 'response');
  return response;
}

describe('NDJSON', () => {
  test('every entry has its answer line in order, and a wrong one does not stop the others', async () => {
    const testsetId = await createTestset(world);
    const body = [
      '{"question":"a","idealAnswer":"b"}',
      '{"question":7}',
      '',
      '{"question":',
      '[1]',
      '  {"question":"c", "idealAnswer":1e400}  \r',
      `{"a":${'['.repeat(600)}${']'.repeat(600)}}`,
    ].join('\n');
    const reply = await importAs('ndjson', testsetId, body);
    expect(reply.status).toBe(200);
    const lines = linesOf(reply.text);
    expect(lines.map(({ index }) => index)).toEqual([0, 1, 2, 3, 4, 5]);
    expect(lines.map(({ status }) => status)).toEqual([201, 201, 400, 400, 201, 400]);
    expect(lines[0]).toEqual({ index: 0, status: 201, id: expect.any(String) });
    expect(lines[1].validationErrors.length).toBeGreaterThan(0);
    expect(lines[2]).toEqual({
      index: 2,
      status: 400,
      code: 'MALFORMED_JSON',
      message: 'The entry is not valid JSON.',
      details: {},
    });
    expect(lines[3].details.issues).toEqual([{ path: '', message: 'must be an object' }]);
    expect(lines[5].details.issues[0].message).toBe('is nested deeper than 512 levels');
    const stored = await world.request('GET', `/testsets/${testsetId}/testcases`);
    expect(stored.body.data.map(({ id }: { id: string }) => id)).toEqual([
      lines[0].id,
      lines[1].id,
      lines[4].id,
    ]);
    expect(stored.text).toContain('"jsonData":{"question":"c", "idealAnswer":1e400}');
  });

  test('a line that is no UTF-8 or too large is told as its own, and the next one is stored', async () => {
    const testsetId = await createTestset(world);
    const lines = [
      Buffer.from('{"a":"\xff"}\n', 'latin1'),
      Buffer.from(`{"a":"${'x'.repeat(5_000_000)}"}\n`),
      Buffer.from('{"a":1}'),
    ];
    const reply = await importAs('ndjson', testsetId, Buffer.concat(lines));
    expect(linesOf(reply.text).map(({ status, code }) => [status, code])).toEqual([
      [400, 'MALFORMED_JSON'],
      [413, 'PAYLOAD_TOO_LARGE'],
      [201, undefined],
    ]);
  });

  test('an entry is answered before the next one is sent', async () => {
    const testsetId = await createTestset(world);
    const waiting: (() => void)[] = [];
    const answered = () => new Promise<void>((resolve) => waiting.push(resolve));
    async function* oneByOne() {
      for (let index = 0; index < 3; index++) {
        const wait = answered();
        yield Buffer.from(`{"question":"${index}"}\n`);
        await wait;
      }
    }
    let text = '';
    for await (const piece of await stream(testsetId, types.ndjson, oneByOne())) {
      text += Buffer.from(piece).toString();
      waiting.shift()?.();
    }
    expect(linesOf(text).map(({ status }) => status)).toEqual([201, 201, 201]);
  });

  test('many lines are stored in order, in flat memory', async () => {
    // Together more bytes than the bound, in many batches.
    const lineCount = volume(7000, 6000);
    const testsetId = await createTestset(world, { jsonSchema: {} });
    const before = heldMiB();
    let peak = 0;
    let measuredAt = 0;
    async function* lines() {
      for (let from = 0; from < lineCount; from += 100)
        yield Buffer.from(
          Array.from(
            { length: 100 },
            (_, at) => `{"index":${from + at},"text":"${'x'.repeat(8000)}"}\n`,
          ).join(''),
        );
    }
    let text = '';
    for await (const piece of await stream(testsetId, types.ndjson, lines())) {
      text += Buffer.from(piece).toString();
      if (text.length > measuredAt + 100_000) {
        peak = Math.max(peak, heldMiB());
        measuredAt = text.length;
      }
    }
    const answers = linesOf(text);
    expect(answers).toHaveLength(lineCount);
    expect(answers.every(({ index, status }, at) => status === 201 && index === at)).toBe(true);
    const ids = answers.map(({ id }) => id);
    expect(ids.toSorted()).toEqual(ids);
    expect(await count(testsetId)).toBe(lineCount);
    expect(peak).toBeGreaterThan(0);
    expect(peak - before).toBeLessThan(40);
  });

  test('a deletion of the testset ends the import with a line that says so', async () => {
    const testsetId = await createTestset(world);
    const deleted = { now: () => {} };
    const isDeleted = new Promise<void>((resolve) => {
      deleted.now = resolve;
    });
    async function* around() {
      yield Buffer.from('{"question":"before"}\n');
      await isDeleted;
      yield Buffer.from('{"question":"after"}\n{"question":"after"}\n');
    }
    let text = '';
    for await (const piece of await stream(testsetId, types.ndjson, around())) {
      text += Buffer.from(piece).toString();
      await world.request('DELETE', `/testsets/${testsetId}`);
      deleted.now();
    }
    expect(linesOf(text).map(({ index, status }) => [index, status])).toEqual([
      [0, 201],
      [1, 404],
    ]);
  });

  test('what was answered before the connection broke is stored', async () => {
    const testsetId = await createTestset(world);
    async function* broken() {
      yield Buffer.from('{"question":"a"}\n{"question":"b"}\n{"question":"c');
      await new Promise(() => undefined);
    }
    for await (const piece of await stream(testsetId, types.ndjson, broken())) {
      expect(linesOf(Buffer.from(piece).toString())).toHaveLength(2);
      break;
    }
    expect(await count(testsetId)).toBe(2);
  });
});

describe('an import with an Idempotency-Key', () => {
  const key = { 'idempotency-key': 'import-1' };
  const entry = (index: number) => JSON.stringify({ question: `q${index}` });
  const body = (count: number) =>
    Array.from({ length: count }, (_, index) => entry(index)).join('\n');
  const idsOf = (reply: { text: string }) => linesOf(reply.text).map(({ id }) => id as string);

  test('stores nothing twice, goes on where a first one was cut, and keeps the order of the entries', async () => {
    const testsetId = await createTestset(world);
    const cut = await importAs('ndjson', testsetId, body(120), key);
    const repeats = await Promise.all([
      importAs('ndjson', testsetId, body(250), key),
      importAs('ndjson', testsetId, body(250), key),
    ]);
    for (const repeat of repeats) expect(idsOf(repeat).slice(0, 120)).toEqual(idsOf(cut));
    expect(idsOf(repeats[1]!)).toEqual(idsOf(repeats[0]!));
    expect(idsOf(repeats[0]!)).toEqual([...idsOf(repeats[0]!)].sort());
    expect(await count(testsetId)).toBe(250);
    for (const id of idsOf(cut).slice(0, 2))
      expect((await world.request('GET', `/testcases/${id}`)).status).toBe(200);
  });

  test('ends with a conflict at what differs from the first', async () => {
    const testsetId = await createTestset(world);
    await importAs('ndjson', testsetId, `${entry(0)}\n${entry(1)}`, key);
    // The last line of a body is known to be whole when the body ends: it is a batch of its own.
    const other = await importAs('ndjson', testsetId, `${entry(0)}\n${entry(7)}`, key);
    expect(linesOf(other.text).at(-1)).toMatchObject({ index: 1, status: 409, code: 'CONFLICT' });
    expect(await count(testsetId)).toBe(2);
  });
});

describe('refusals', () => {
  test('a body that is no array, of no known type, or for no testset is one failure of the request', async () => {
    const testsetId = await createTestset(world);
    for (const body of ['{"a":1}', '', '  ', '[{"a":1}] 7']) {
      const reply = await importAs('json', testsetId, body);
      expect([reply.status, reply.body?.code]).toEqual([400, 'VALIDATION_ERROR']);
    }
    expect((await importAs('csv', testsetId, '')).body.details.issues[0].message).toBe(
      'must have a header line',
    );
    expect((await importAs('csv', testsetId, 'a,b,a\n1,2,3')).status).toBe(400);
    expect(
      (await importAs('ndjson', testsetId, '{}', { 'content-type': 'text/plain' })).status,
    ).toBe(415);
    expect(
      (
        await importAs(
          'ndjson',
          '00000000-0000-7000-8000-000000000000',
          `{}\n${' '.repeat(3_000_000)}`,
        )
      ).status,
    ).toBe(404);
    expect(await count(testsetId)).toBe(0);
  });
});

describe('JSON', () => {
  test('the elements of an array are entries, wherever the chunks are cut', async () => {
    const testsetId = await createTestset(world, { jsonSchema: {} });
    const body = Buffer.from(' [ {"a":"]},[\\"é"} ,{ "b" : [[],{}] }, 7, {"c":1}}, ,{"e":2}]\n');
    async function* byteByByte() {
      for (const byte of body) yield Uint8Array.of(byte);
    }
    let text = '';
    for await (const piece of await stream(testsetId, types.json, byteByByte()))
      text += Buffer.from(piece).toString();
    expect(linesOf(text).map(({ status }) => status)).toEqual([201, 201, 400, 400, 400, 201]);
    expect(await dataOf(testsetId)).toEqual([{ a: ']},["é' }, { b: [[], {}] }, { e: 2 }]);
    expect((await importAs('json', testsetId, '[ ]')).text).toBe('');
  });

  test('an array that does not end is told after its entries', async () => {
    const testsetId = await createTestset(world, { jsonSchema: {} });
    const reply = await importAs('json', testsetId, '[{"a":1},{"b":');
    expect(linesOf(reply.text).map(({ index, status }) => [index, status])).toEqual([
      [0, 201],
      [1, 400],
    ]);
  });
});

describe('CSV', () => {
  const jsonSchema = {
    properties: {
      text: { type: 'string' },
      number: { type: 'integer' },
      maybe: { type: ['string', 'null'] },
      list: { type: 'array' },
    },
  };

  test('cells are read as the types that the schema says, else as text', async () => {
    const testsetId = await createTestset(world, { jsonSchema });
    const body =
      '\ufefftext,number,maybe,list,other\r\n5,12345678901234567890,null,"[1,""a""]",true\r\n"line\nbreak, ""quoted""",x,7,,""\r\n\r\n"",,"",{},\'=1\r\n';
    const reply = await importAs('csv', testsetId, body);
    expect(linesOf(reply.text).map(({ status }) => status)).toEqual([201, 201, 201]);
    expect(await exportAs('ndjson', testsetId)).toBe(
      [
        '{"text":"5","number":12345678901234567890,"maybe":null,"list":[1,"a"],"other":"true"}',
        '{"text":"line\\nbreak, \\"quoted\\"","number":"x","maybe":"7","other":""}',
        '{"text":"","maybe":"","list":"{}","other":"=1"}',
        '',
      ].join('\n'),
    );
  });

  test('a record with a stray quote or another number of cells is told as its own', async () => {
    const testsetId = await createTestset(world, { jsonSchema });
    const reply = await importAs(
      'csv',
      testsetId,
      'text,number\n"a"b,1\nc"d,2\ne\nf,3,4\ng,5\n"open,6\n',
    );
    expect(linesOf(reply.text).map(({ status }) => status)).toEqual([400, 400, 400, 400, 201, 400]);
  });

  test('text that a spreadsheet would run is written with an apostrophe', async () => {
    const testsetId = await createTestset(world, {
      jsonSchema,
      fieldMapping: { inputs: ['number'], expected: ['list'], metadata: [] },
    });
    await importAs('ndjson', testsetId, '{"text":"=SUM(1)","number":-5,"list":[1,2]}');
    expect(await exportAs('csv', testsetId)).toBe(
      'number,list,text,maybe\n-5,"[1,2]",\'=SUM(1),\n',
    );
  });
});

describe('export', () => {
  const jsonSchema = {
    properties: {
      '=text': { type: 'string' },
      number: { type: 'number' },
      many: { type: ['string', 'boolean', 'null', 'object', 'array'] },
      __proto__key: { type: 'object' },
    },
  };
  const text = fc.oneof(
    fc.string({ unit: 'binary' }).filter((value) => value.isWellFormed()),
    fc.constantFrom(
      '',
      '=1+1',
      '\n=1',
      '\t=1',
      '\uff1d1',
      "'\n",
      "'=1",
      "''@x",
      '-5',
      'null',
      '"x"',
      '{}',
      ' a ',
      'a\r\nb',
      '"',
      ',',
      '\u0000',
      '\ufeff',
    ),
  );
  const entry = fc.record(
    {
      '=text': text,
      number: fc.oneof(fc.double({ noNaN: true, noDefaultInfinity: true }), text),
      many: fc.oneof(
        text,
        fc.boolean(),
        fc.constant(null),
        fc.array(fc.jsonValue()),
        fc.dictionary(fc.string(), fc.jsonValue()),
      ),
      __proto__key: fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), text),
    },
    { requiredKeys: ['number'] },
  );

  test('what is exported as NDJSON, JSON or CSV and imported again is the same data', async () => {
    const sorted = (values: object[]) =>
      values.map((value) => Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1)));
    await fc.assert(
      fc.asyncProperty(fc.array(entry, { minLength: 1, maxLength: 20 }), async (entries) => {
        const from = await createTestset(world, { jsonSchema });
        const texts = entries.map((value) => JSON.stringify(value));
        await importAs('json', from, `[${texts.join()}]`);
        const data = sorted(texts.map((value) => JSON.parse(value)));
        for (const format of ['ndjson', 'json', 'csv'] as const) {
          const to = await createTestset(world, { jsonSchema });
          const answers = linesOf((await importAs(format, to, await exportAs(format, from))).text);
          expect(
            answers.map(({ status }) => status),
            format,
          ).toEqual(entries.map(() => 201));
          expect(sorted(await dataOf(to)), format).toEqual(data);
        }
      }),
      { numRuns: volume(15) },
    );
  });

  test('a line of NDJSON has the text that was sent, without its line breaks', async () => {
    const testsetId = await createTestset(world, { jsonSchema: {} });
    await importAs('json', testsetId, '[{ "a":\r\n 1.50,\n"b" : "\\n\\ud800"}]');
    expect(await exportAs('ndjson', testsetId)).toBe('{ "a": 1.50,"b" : "\\n\\ud800"}\n');
    expect(await exportAs('json', testsetId)).toBe('[{ "a":\r\n 1.50,\n"b" : "\\n\\ud800"}]\n');
    expect(await exportAs('json', await createTestset(world))).toBe('[]\n');
  });
});
