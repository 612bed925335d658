import diagnostics from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { testConfig } from '@assay/testing/config';
import { dropDatabases } from '@assay/testing/databases';
import { poll } from '@assay/testing/poll';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Database, openDatabase } from '../../mongo/database.ts';

const config = testConfig();
const sockets = new Set<Socket>();
function note(message: unknown): void {
  const { socket } = message as { socket: Socket };
  sockets.add(socket.once('close', () => sockets.delete(socket)));
}
let database: Database;
beforeAll(async () => {
  diagnostics.subscribe('net.client.socket', note);
  const name = `${config.DATABASE_PREFIX}_broken_connections`;
  database = await openDatabase({ uri: config.MONGODB_URI, name });
  await things().insertOne({ _id: 'there' });
});
afterAll(async () => {
  diagnostics.unsubscribe('net.client.socket', note);
  await database.close();
  await dropDatabases(config.MONGODB_URI, config.DATABASE_PREFIX);
});

const things = () => database.collection<{ _id: string }>('things');
const isThere = async (id: string) => (await things().countDocuments({ _id: id })) === 1;
/** As when the server is gone: the event loop turns once more before a socket says "close". */
function breakConnections(): void {
  for (const socket of sockets) socket.destroy();
}
/** What became of it, in the end. */
async function outcomeOf(call: Promise<unknown>): Promise<PromiseSettledResult<unknown>> {
  let outcome: PromiseSettledResult<unknown> | undefined;
  void Promise.allSettled([call]).then(([settled]) => {
    outcome = settled;
  });
  return poll('the call is answered', async () => outcome);
}

test('a read over a connection that breaks is done over another one', async () => {
  await isThere('there');
  breakConnections();
  const { status } = await outcomeOf(things().findOne({ _id: 'there' }));
  expect(status).toBe('fulfilled');
});

test('a write over a connection that breaks is done over another one', async () => {
  await isThere('there');
  breakConnections();
  const { status } = await outcomeOf(things().insertOne({ _id: 'written' }));
  expect(status).toBe('fulfilled');
  expect(await isThere('written')).toBe(true);
});

test('a transaction over a connection that breaks is done over another one', async () => {
  await isThere('there');
  breakConnections();
  const { status } = await outcomeOf(
    database.transaction(() => things().insertOne({ _id: 'committed' })),
  );
  expect(status).toBe('fulfilled');
  expect(await isThere('committed')).toBe(true);
});

test('a large document whose connection breaks while it is sent is sent over another one', async () => {
  await isThere('there');
  const text = 'x'.repeat(15 * 1024 * 1024);
  const writing = things().insertOne({ _id: 'large', text } as never);
  setImmediate(breakConnections);
  const { status } = await outcomeOf(writing);
  expect(status).toBe('fulfilled');
  expect(await isThere('large')).toBe(true);
});
