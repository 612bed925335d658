import { expect, test } from 'vitest';
import { exportOf, useTraces } from './setting.ts';

const dayMs = 24 * 60 * 60 * 1000;
const { send, goOn, world } = useTraces({ config: { TRACE_BYTES_PER_DAY_MAX: 1000 } });

const batchOf = (characters: number) =>
  exportOf([{ attributes: { text: 'x'.repeat(characters) } }], { 'service.name': 'a' });

test('an organization may send as many bytes of spans on a day as its quota says, however many send at once', async () => {
  const replies = await Promise.all(Array.from({ length: 6 }, () => send(batchOf(200))));
  const taken = replies.filter(({ status }) => status === 200);
  const refused = replies.filter(({ status }) => status === 429);
  expect([taken.length, refused.length]).toEqual([3, 3]);
  expect(refused[0]!.body.message).toContain('may send 1,000 bytes of spans a day');
  const untilMidnight = Number(refused[0]!.headers.get('retry-after'));
  expect(untilMidnight).toBeGreaterThan(0);
  expect(untilMidnight).toBeLessThanOrEqual(dayMs / 1000);

  const elsewhere = world().asNewOrganization();
  await elsewhere.create('/projects', { name: 'p', description: '' });
  const { identity } = elsewhere;
  const headers = { 'content-type': 'application/json' };
  expect((await send(batchOf(200), '/v1/traces', { identity, headers })).status).toBe(200);
  goOn(dayMs);
  expect((await send(batchOf(200))).status).toBe(200);
  expect((await send(batchOf(2000))).status).toBe(429);
});
