import { start as startCatalog } from '@assay/catalog/service';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { createTestset } from './testset.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({
    services: { catalog: startCatalog, testcases: start },
    config: { DATABASE_RESERVE_BYTES: Number.MAX_SAFE_INTEGER },
  });
});
afterAll(() => world.stop());

test("testcases that would leave less than the reserve of the database's disk are a 503, whichever way they come, and nothing of them stays", async () => {
  const testsetId = await createTestset(world);
  const path = `/testsets/${testsetId}/testcases`;
  const jsonData = { question: 'q', idealAnswer: 'a' };
  const importEntries = (query: string) =>
    world.request('POST', `${path}/import${query}`, undefined, {
      raw: `${JSON.stringify(query === '' ? jsonData : { key: 'k', jsonData })}\n`,
      headers: { 'content-type': 'application/x-ndjson' },
    });
  const attempts = {
    create: await world.request('POST', path, { items: [{ jsonData }] }),
    'create by key': await world.request('POST', path, { items: [{ key: 'k', jsonData }] }),
    import: await importEntries(''),
    'import by key': await importEntries('?mode=upsert'),
  };
  for (const [how, { status, body, headers }] of Object.entries(attempts)) {
    expect([how, status, body.message]).toEqual([
      how,
      503,
      expect.stringMatching(/^The disk of the database is nearly full: .*operator/),
    ]);
    expect(Number(headers.get('retry-after')), how).toBe(60);
  }
  expect((await world.request('GET', path)).body.data).toEqual([]);
});
