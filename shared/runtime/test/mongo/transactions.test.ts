import { testConfig } from '@assay/testing/config';
import { dropDatabases } from '@assay/testing/databases';
import { volume } from '@assay/testing/volume';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../mongo/database.ts';

const config = testConfig();
let database: Database;
beforeAll(async () => {
  database = await openDatabase({
    uri: config.MONGODB_URI,
    name: `${config.DATABASE_PREFIX}_transactions`,
  });
});
afterAll(async () => {
  await database.close();
  await dropDatabases(config.MONGODB_URI, config.DATABASE_PREFIX);
});

interface Counter {
  _id: string;
  value: number;
}

test('a transaction sees what a read before it has seen, also while others commit', async () => {
  const counters = database.collection<Counter>('counters');
  const filler = database.collection('filler');
  await counters.insertOne({ _id: 'watched', value: 0 });
  const readValue = async () => (await counters.findOne({ _id: 'watched' }))!.value;
  let isOver = false;
  // Writes that take long to commit hide later ones from a snapshot of the past.
  const fill = async () => {
    const text = 'x'.repeat(200_000);
    while (!isOver)
      await database.transaction(() => filler.insertMany([{ text }, { text }, { text }]));
  };
  const increment = async () => {
    while (!isOver)
      await database.transaction(() =>
        counters.updateOne({ _id: 'watched' }, { $inc: { value: 1 } }),
      );
  };
  const others = [...Array.from({ length: 8 }, fill), increment()];
  const watch = async () => {
    for (let reads = 0; reads < volume(200); reads++) {
      const before = await readValue();
      expect(await database.transaction(readValue)).toBeGreaterThanOrEqual(before);
    }
  };
  try {
    await Promise.all(Array.from({ length: 4 }, watch));
  } finally {
    isOver = true;
    await Promise.all(others);
  }
});
