import { expect, test } from 'vitest';
import { exportOf, useTraces } from './setting.ts';

const { send, request, projectId } = useTraces({
  config: { DATABASE_RESERVE_BYTES: Number.MAX_SAFE_INTEGER },
});

test("spans that would leave less than the reserve of the database's disk are a 503, and nothing of them stays", async () => {
  const reply = await send(exportOf([{}]));
  expect(reply.status).toBe(503);
  expect(reply.body.message).toContain('The disk of the database is nearly full: ');
  expect(Number(reply.headers.get('retry-after'))).toBe(60);
  const { body } = await request('GET', `/projects/${projectId()}/traces`);
  expect(body.data).toEqual([]);
});
