import { setMaxListeners } from 'node:events';
import { testConfig } from '@assay/testing/config';
import { dropDatabases } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { MongoClient } from 'mongodb';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { inOrganizationContext } from '../../concurrency/organization-context.ts';
import { toFailure } from '../../http/failures.ts';
import { type Database, openDatabase } from '../../mongo/database.ts';

const config = testConfig();
const name = `${config.DATABASE_PREFIX}_reads`;
let database: Database;
let client: MongoClient;
beforeAll(async () => {
  database = await openDatabase({ uri: config.MONGODB_URI, name });
  client = await MongoClient.connect(config.MONGODB_URI);
  await things().insertMany([{ _id: 'a' }, { _id: 'b' }]);
});
afterAll(async () => {
  await database.close();
  await client.close();
  await dropDatabases(config.MONGODB_URI, config.DATABASE_PREFIX);
});

const things = () => database.collection<{ _id: string }>('things');
/** A read that takes the database as long as it is let: minutes a document. */
const readForever = (signal?: AbortSignal) =>
  inOrganizationContext({ organizationId: 'greedy', signal }, () =>
    things().find({ $where: 'sleep(120000) || true' }).toArray(),
  );

const underWay = async (): Promise<number> =>
  (
    await client
      .db('admin')
      .aggregate([
        { $currentOp: {} },
        { $match: { ns: `${name}.things`, op: { $in: ['query', 'command'] } } },
      ])
      .toArray()
  ).length;

test('one organization reads while another has more under way than it may, and what its client left is ended in the database', async () => {
  // Who asks beside it: the greedy one may have two reads under way, and not four.
  inOrganizationContext({ organizationId: 'modest' }, () => undefined);
  const leaving = new AbortController();
  setMaxListeners(0, leaving.signal);
  const reads = Array.from({ length: 100 }, () => readForever(leaving.signal));
  const outcome = Promise.allSettled(reads);
  await poll('the reads of the greedy one are under way', async () => (await underWay()) === 2);
  for (let count = 0; count < 20; count++) {
    const found = await inOrganizationContext({ organizationId: 'modest' }, () =>
      things().find({}).toArray(),
    );
    expect(found).toHaveLength(2);
    expect(
      await inOrganizationContext({ organizationId: 'modest' }, () => things().countDocuments({})),
    ).toBe(2);
  }
  expect(await underWay()).toBe(2);
  leaving.abort(new Error('gone'));
  await poll('nothing of it is left in the database', async () => (await underWay()) === 0);
  expect((await outcome).map(({ status }) => status)).toEqual(reads.map(() => 'rejected'));
});

test('a read that takes the database too long is ended there, and is a 503 that says so', async () => {
  const error = await inOrganizationContext({ organizationId: 'greedy' }, () =>
    things().find({ $where: 'sleep(120000) || true' }, { maxTimeMS: 50 }).toArray(),
  ).catch((error: unknown) => error);
  expect(toFailure(error)).toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    message: expect.stringContaining('too long'),
  });
});

test('reads of a transaction and of the service itself have no bound of an organization', async () => {
  const own = things().find({}, { projection: { _id: 1 } });
  expect(await own.toArray()).toHaveLength(2);
  const inTransaction = await inOrganizationContext(
    { organizationId: 'greedy', signal: AbortSignal.abort() },
    () => database.transaction(() => things().find({}).toArray()),
  );
  expect(inTransaction).toHaveLength(2);
});
