import { testConfig } from '@assay/testing/config';
import { dropDatabases } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { inOrganizationContext } from '../../concurrency/organization-context.ts';
import { type Database, openDatabase } from '../../mongo/database.ts';

const config = testConfig();
let database: Database;
beforeAll(async () => {
  database = await openDatabase({
    uri: config.MONGODB_URI,
    name: `${config.DATABASE_PREFIX}_writes`,
  });
});
afterAll(async () => {
  await database.close();
  await dropDatabases(config.MONGODB_URI, config.DATABASE_PREFIX);
});
// Beside it the greedy one has less.
beforeEach(() => inOrganizationContext({ organizationId: 'modest' }, () => undefined));

/** Transactions of one organization that go on until they are ended, and how many have begun. */
function startTransactions(count: number, { documents }: { documents: number }) {
  let begun = 0;
  let end = () => {};
  const ended = new Promise<void>((resolve) => (end = resolve));
  const outcome = Promise.all(
    Array.from({ length: count }, () =>
      inOrganizationContext({ organizationId: 'greedy' }, () =>
        database.transaction(
          async () => {
            begun += 1;
            await ended;
          },
          { documents },
        ),
      ),
    ),
  );
  return { begun: () => begun, end, outcome };
}

const things = () => database.collection<{ _id: string }>('things');

test.each([
  ['four small transactions', { documents: 24 }, 4],
  ['one that writes many documents', { documents: 25 }, 1],
])(
  'beside others an organization has %s under way, and theirs begin meanwhile',
  async (name, of, most) => {
    const greedy = startTransactions(20, of);
    await poll('as many as may have begun', async () => greedy.begun() === most);
    const id = name;
    await inOrganizationContext({ organizationId: 'modest' }, async () => {
      await database.transaction(() => things().insertOne({ _id: id }), { documents: 100 });
      await things().deleteMany({ _id: id });
    });
    await database.transaction(() => things().insertOne({ _id: id }));
    expect(greedy.begun()).toBe(most);
    greedy.end();
    await greedy.outcome;
    expect(greedy.begun()).toBe(20);
  },
);

test('a transaction inside of another, and its writes of many documents, wait for no turn', async () => {
  const inner = () => database.transaction(() => things().insertMany([{ _id: 'x' }, { _id: 'y' }]));
  await inOrganizationContext({ organizationId: 'greedy' }, () =>
    database.transaction(inner, { documents: 100 }),
  );
  expect(await things().countDocuments({ _id: { $in: ['x', 'y'] } })).toBe(2);
});

test('a turn ends after two seconds, so that transactions that wait for each other end', async () => {
  let others = () => {};
  const otherHasBegun = new Promise<void>((resolve) => (others = resolve));
  const both = inOrganizationContext({ organizationId: 'greedy' }, () => [
    database.transaction(() => otherHasBegun, { documents: 25 }),
    database.transaction(async () => others(), { documents: 25 }),
  ]);
  await Promise.all(both);
});
