import { traces } from '@assay/contracts/traces';
import { openDatabase } from '@assay/runtime/mongo/database';
import { poll } from '@assay/testing/poll';
import { expect, test } from 'vitest';
import { createDailyBytes } from '../src/store/daily-bytes.ts';
import { exportOf, useTraces } from './setting.ts';

const { send, world } = useTraces();

test('the bytes of spans that come at once are counted where there is no limit, for each organization its own', async () => {
  const { bus, identity } = world();
  const elsewhere = world().asNewOrganization();
  await elsewhere.create('/projects', { name: 'p', description: '' });
  const usageOf = (who = identity) => bus.asks(traces).traces.usage(who, {});
  const batch = exportOf([{ traceId: 'a'.repeat(32), attributes: { text: 'x'.repeat(200) } }]);
  const headers = { 'content-type': 'application/json' };
  expect((await send(batch)).status).toBe(200);
  const { used: one, ...rest } = await usageOf();
  expect(one).toBeGreaterThan(200);
  expect(rest).toEqual({ installationLimit: null, resetsAt: expect.stringContaining('T00:00:00') });
  const other = { identity: elsewhere.identity, headers };
  const replies = await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      index % 4 === 0 ? send(batch, '/v1/traces', other) : send(batch),
    ),
  );
  expect(replies.map(({ status }) => status)).toEqual(Array.from({ length: 40 }, () => 200));
  expect((await usageOf()).used).toBe(31 * one);
  expect((await usageOf(elsewhere.identity)).used).toBe(10 * one);
});

test('bytes of spans are written within a second, and when the service stops', async () => {
  const { MONGODB_URI: uri, DATABASE_PREFIX: prefix } = world().config;
  const database = await openDatabase({ uri, name: `${prefix}_daily` });
  const [one, other] = [createDailyBytes(database), createDailyBytes(database)];
  const at = new Date();
  for (const bytes of [1, 2, 3]) one.add('a', { bytes, at });
  one.add('b', { bytes: 10, at });
  await poll('the other process sees them', async () => (await other.sentOn('a', at)) === 6);
  expect(await other.sentOn('b', at)).toBe(10);
  one.add('a', { bytes: 4, at });
  await one.drain();
  expect(await other.sentOn('a', at)).toBe(10);
  await database.close();
});
