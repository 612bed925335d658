import { start as startCatalog } from '@assay/catalog/service';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { createTestset, linesOf } from './testset.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: startCatalog, testcases: start } });
});
afterAll(() => world.stop());

const nobody = '00000000-0000-7000-8000-000000000000';
const fits = { question: 'Where is my parcel?', idealAnswer: 'Ask for the number.' };
const breaks = { question: 7 };

/** Imports entries, values or JSON texts. */
async function fill(testsetId: string, entries: (object | string)[]): Promise<string[]> {
  const raw = entries
    .map((entry) => (typeof entry === 'string' ? entry : JSON.stringify(entry)))
    .join('\n');
  const reply = await world.request('POST', `/testsets/${testsetId}/testcases/import`, undefined, {
    raw,
    headers: { 'content-type': 'application/x-ndjson' },
  });
  return linesOf(reply.text).map(({ id }) => id);
}

const list = (testsetId: string, query: Record<string, string | number>) =>
  world.request('GET', `/testsets/${testsetId}/testcases?${new URLSearchParams(query as never)}`);

/** All ids of a filtered list, and how many pages it had. */
async function walk(testsetId: string, query: Record<string, string | number>) {
  const ids: string[] = [];
  let pages = 0;
  for (let cursor: string | null = ''; cursor !== null; pages++) {
    const { status, body } = await list(testsetId, { ...query, ...(cursor ? { cursor } : {}) });
    expect(status).toBe(200);
    ids.push(...body.data.map(({ id }: { id: string }) => id));
    cursor = body.nextCursor;
  }
  return { ids, pages };
}

describe('testcases that contain a text', () => {
  test.each([
    ['any case of any script', 'ZÜRICH ΑΘΉΝΑ', '{"question":"In zürich Αθήνα?"}'],
    ['what was sent with escapes', 'zürich "quoted"', '{"question":"Z\\u00fcrich \\"quoted\\""}'],
    ['a line break', 'one\ntwo', '{"question":"One\\nTwo"}'],
    ['signs of a pattern as they are', '.*(a+)+$[', '{"question":"x.*(a+)+$["}'],
    ['a number as it was sent', '1.50e400', '{"number":1.50e400}'],
    ['JSON as it was sent', '"topic": "x"', '{"topic": "x"}'],
  ])('are found by %s', async (_what, q, data) => {
    const testsetId = await createTestset(world);
    const ids = await fill(testsetId, [{ question: 'other' }, data, { question: 'another' }]);
    expect((await walk(testsetId, { q })).ids).toEqual([ids[1]]);
  });

  test('a page has as many as wanted, and the cursor leads on behind the last of them', async () => {
    const testsetId = await createTestset(world);
    const ids = await fill(
      testsetId,
      Array.from({ length: 1000 }, (_, index) => ({ question: `number ${index % 10}.` })),
    );
    const wanted = ids.filter((_id, index) => index % 10 === 3);
    expect(await walk(testsetId, { q: 'number 3.', limit: 50 })).toEqual({ ids: wanted, pages: 2 });
    expect(await walk(testsetId, { q: 'number 3.', limit: 7 })).toEqual({ ids: wanted, pages: 15 });
    const page = (await list(testsetId, { q: 'number 3.', limit: 2, preview: 5 })).body;
    expect(page.data[0].jsonData).toEqual({ text: '{"que', bytes: 24, isCut: true });
  });

  test('a page that has read its share ends, empty if need be, and its cursor leads to the rest', async () => {
    const testsetId = await createTestset(world, { jsonSchema: {} });
    const large = Array.from({ length: 12 }, () => ({ blob: 'x'.repeat(2_000_000) }));
    const ids = await fill(testsetId, [...large, { question: 'here' }]);
    const first = (await list(testsetId, { q: 'here' })).body;
    expect(first).toMatchObject({ data: [], hasMore: true });
    const rest = (await list(testsetId, { q: 'here', cursor: first.nextCursor })).body;
    expect(rest.data.map(({ id }: { id: string }) => id)).toEqual([ids.at(-1)]);
    expect(rest.hasMore).toBe(false);
  });

  test('a cursor belongs to its filters', async () => {
    const testsetId = await createTestset(world);
    await fill(testsetId, [fits, fits]);
    const { nextCursor: cursor } = (await list(testsetId, { q: 'parcel', limit: 1 })).body;
    for (const query of [{ q: 'other' }, { invalid: 'true' }, {}] as Record<string, string>[])
      expect((await list(testsetId, { ...query, cursor })).body.details.issues[0].path).toBe(
        '?cursor',
      );
  });
});

describe('invalid testcases', () => {
  test('are those that break the schema as it is now', async () => {
    const testsetId = await createTestset(world);
    const ids = await fill(testsetId, [fits, breaks, fits, { ...fits, topic: 7 }]);
    const invalid = (await list(testsetId, { invalid: 'true' })).body;
    expect(invalid.data.map(({ id }: { id: string }) => id)).toEqual([ids[1], ids[3]]);
    expect(invalid.data[1].validationErrors).toMatchObject([{ path: '/data/topic' }]);
    expect((await walk(testsetId, { invalid: 'false' })).ids).toEqual(ids);
    expect((await walk(testsetId, { invalid: 'true', q: 'parcel' })).ids).toEqual([ids[3]]);
    await world.request('PATCH', `/testsets/${testsetId}`, { jsonSchema: { required: ['topic'] } });
    expect((await walk(testsetId, { invalid: 'true', limit: 1 })).ids).toEqual(ids.slice(0, 3));
  });

  test('are found among thousands, in pages that read a bounded number each', async () => {
    const testsetId = await createTestset(world);
    const ids = await fill(
      testsetId,
      Array.from({ length: 11_000 }, (_, index) => (index % 4000 === 3999 ? breaks : fits)),
    );
    const found = await walk(testsetId, { invalid: 'true', limit: 100 });
    expect(found).toEqual({ ids: [ids[3999], ids[7999]], pages: 3 });
  });
});

describe('the check of another schema', () => {
  const check = (testsetId: string, body: object, options = {}) =>
    world.request('POST', `/testsets/${testsetId}/check`, body, options);

  test('tells how many testcases it would make invalid, with examples, and changes nothing', async () => {
    const testsetId = await createTestset(world);
    const ids = await fill(testsetId, [fits, breaks, { ...fits, topic: 'a' }, fits]);
    const jsonSchema = { required: ['topic'], properties: { topic: { type: 'string' } } };
    expect((await check(testsetId, { jsonSchema })).body).toEqual({
      checked: 4,
      invalid: 3,
      newlyInvalid: 2,
      examples: [ids[0], ids[3]].map((testcaseId) => ({
        testcaseId,
        validationErrors: [{ path: '/data', message: expect.stringContaining('topic') }],
      })),
      next: null,
    });
    expect((await walk(testsetId, { invalid: 'true' })).ids).toEqual([ids[1]]);
    expect((await check(await createTestset(world), { jsonSchema })).body).toMatchObject({
      checked: 0,
      examples: [],
      next: null,
    });
  });

  test('goes on after the last testcase that it read', async () => {
    const testsetId = await createTestset(world);
    const ids = await fill(testsetId, Array(5100).fill(fits));
    const jsonSchema = { required: ['topic'] };
    const first = (await check(testsetId, { jsonSchema })).body;
    expect(first).toMatchObject({ checked: 5000, newlyInvalid: 5000, next: ids[4999] });
    expect(first.examples.map(({ testcaseId }: { testcaseId: string }) => testcaseId)).toEqual(
      ids.slice(0, 10),
    );
    expect((await check(testsetId, { jsonSchema, after: first.next })).body).toMatchObject({
      checked: 100,
      newlyInvalid: 100,
      next: null,
    });
  });

  test('refuses what is no schema, with its place', async () => {
    const testsetId = await createTestset(world);
    for (const [jsonSchema, path] of [
      [{ type: 'text' }, '/jsonSchema/type'],
      [{ properties: { a: { pattern: '(' } } }, '/jsonSchema/properties/a/pattern'],
      [{ $ref: 'https://example.org/schema' }, '/jsonSchema/$ref'],
      [7, '/jsonSchema'],
    ] as const) {
      const reply = await check(testsetId, { jsonSchema });
      expect([reply.status, reply.body.details.issues[0].path]).toEqual([400, path]);
    }
  });

  test("of another organization's testset answers as of one that does not exist", async () => {
    const testsetId = await createTestset(world);
    const as = { identity: { organizationId: nobody } };
    expect((await check(testsetId, { jsonSchema: {} }, as)).body.details).toEqual({
      resource: 'testset',
      id: testsetId,
    });
    const theirs = await createTestset(world, {}, as);
    const ids = await fill(testsetId, [fits]);
    const foreign = await world.request(
      'POST',
      `/testsets/${theirs}/check`,
      { jsonSchema: { required: ['topic'] }, after: ids[0]!.replace(/^./, '0') },
      as,
    );
    expect(foreign.body).toMatchObject({ checked: 0, examples: [] });
  });
});
