import { traces } from '@assay/contracts/traces';
import { expect, test } from 'vitest';
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
