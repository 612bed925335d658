import { newId } from '@assay/runtime/ids';
import { payloads, useRunRecords } from '@assay/testing/run-records';
import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { type Document, MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';

const { config, newRecord, newRun, request } = useRunRecords({
  config: { RESULTS_QUIET_MS: 3_600_000 },
});

type RecordDocument = Document & { _id: string };

let client: MongoClient;
beforeAll(async () => {
  client = await MongoClient.connect(config().MONGODB_URI);
});
afterAll(() => client.close());
const database = () => client.db(`${config().DATABASE_PREFIX}_run-records`);

/** A run whose records carry these tags, put in past the service; the ids, oldest first. */
async function taggedRun(tagsOf: string[][]) {
  const run = await newRun();
  const { id } = (await newRecord(run.id, payloads)).body;
  const records = database().collection<RecordDocument>('records');
  const { _id, ...model } = (await records.findOne({ _id: id }))!;
  await records.deleteOne({ _id });
  const documents = tagsOf.map((texts) => ({
    ...model,
    _id: newId(),
    ...(texts.length > 0 ? { tags: texts.map((text) => ({ text })) } : {}),
  }));
  await records.insertMany(documents);
  return { runId: run.id as string, ids: documents.map((document) => document._id) };
}

const queryOf = (tags: string[]) => tags.map((tag) => `&tags=${encodeURIComponent(tag)}`).join('');

async function walk(runId: string, tags: string[], limit: number): Promise<string[]> {
  const found: string[] = [];
  for (let cursor = ''; ; ) {
    const { body } = await request(
      'GET',
      `/runs/${runId}/records?limit=${limit}${queryOf(tags)}${cursor}`,
    );
    found.push(...body.data.map(({ id }: { id: string }) => id));
    if (!body.hasMore) return found;
    cursor = `&cursor=${body.nextCursor}`;
  }
}

/**
 * Contract section 2, Record: all filters, and a value with commas as it stands or as its parts.
 */
const matches = (texts: string[], tags: string[]): boolean =>
  tags.every(
    (tag) =>
      texts.includes(tag) ||
      (tag.includes(',') && tag.split(',').every((part) => part === '' || texts.includes(part))),
  );

test('a walk over the records that carry tags finds each of them once, in order, however many filters there are', async () => {
  const texts = ['a', 'b', 'c', 'd', 'a,b'];
  const tagsOf = fc.sample(fc.subarray(texts), { numRuns: 120, seed: 7 });
  const { runId, ids } = await taggedRun(tagsOf);
  const filters = fc.array(fc.constantFrom(...texts, 'b,c', ',d', 'a,b,c,d', 'e', 'a,e'), {
    minLength: 1,
    maxLength: 12,
  });
  await fc.assert(
    fc.asyncProperty(filters, fc.integer({ min: 1, max: 60 }), async (tags, limit) => {
      expect(await walk(runId, tags, limit)).toEqual(
        ids.filter((_id, index) => matches(tagsOf[index]!, tags)),
      );
    }),
    { numRuns: volume(40) },
  );
});

test('records with a common tag and a rare one are found without reading all that carry the common one, in either order', async () => {
  const { runId, ids } = await taggedRun(
    Array.from({ length: 3000 }, (_, index) =>
      index % 1000 === 999 ? ['common', 'rare'] : ['common'],
    ),
  );
  const rare = ids.filter((_id, index) => index % 1000 === 999);
  await database().command({ profile: 2 });
  for (const tags of [
    ['common', 'rare'],
    ['rare', 'common'],
    ['common,rare', 'common'],
  ])
    expect(await walk(runId, tags, 50)).toEqual(rare);
  await database().command({ profile: 0 });
  const profiled = await database()
    .collection('system.profile')
    .find({ ns: `${database().databaseName}.records`, op: 'query' })
    .toArray();
  expect(profiled.length).toBeGreaterThanOrEqual(9);
  for (const { docsExamined, command } of profiled)
    expect(docsExamined, JSON.stringify(command.filter)).toBeLessThanOrEqual(300);
});

test('a request may name 64 different tags, and one that names more is a 400 with its place', async () => {
  const { runId, ids } = await taggedRun([Array.from({ length: 64 }, (_, index) => `t${index}`)]);
  const tags = Array.from({ length: 32 }, (_, index) => `t${index}`);
  expect(await walk(runId, [...tags, 't32,t33', 't34', 't32'], 10)).toEqual(ids);
  const joined = tags.map((tag, index) => `${tag},t${index + 32}`);
  const { status, body } = await request('GET', `/runs/${runId}/records?limit=1${queryOf(joined)}`);
  expect([status, body.code, body.details.issues[0].path]).toEqual([
    400,
    'VALIDATION_ERROR',
    '?tags',
  ]);
});
