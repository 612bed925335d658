import { start as startCatalog } from '@assay/catalog/service';
import { testcases as contract } from '@assay/contracts/testcases';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { createTestset, linesOf } from './testset.ts';

let world: World;
beforeAll(async () => {
  world = await startWorld({ services: { catalog: startCatalog, testcases: start } });
});
afterAll(() => world.stop());

const types = { ndjson: 'application/x-ndjson', csv: 'text/csv', json: 'application/json' };
type Format = keyof typeof types;

const sendTo =
  (query: string) =>
  (format: Format, testsetId: string, raw: string, headers = {}) =>
    world.request('POST', `/testsets/${testsetId}/testcases/import${query}`, undefined, {
      raw,
      headers: { 'content-type': types[format], ...headers },
    });
const send = sendTo('');
const check = sendTo('?dryRun=true');
const count = async (testsetId: string) =>
  (await world.bus.asks(contract).testcases.count(world.identity, { testsetId })).count;

describe('a dry run', () => {
  test.each([
    ['ndjson', '{"question":"a","idealAnswer":"b"}\n{"question":7}\n[1]\n{"question":'],
    ['csv', 'question,idealAnswer\na,b\nc,\nd\n"e'],
    ['json', '[{"question":"a","idealAnswer":"b"},{"question":7},7]'],
  ] as const)(
    'of %s answers each entry as an import does, without an id, and stores nothing',
    async (format, body) => {
      const testsetId = await createTestset(world);
      const checked = linesOf((await check(format, testsetId, body)).text);
      expect(await count(testsetId)).toBe(0);
      const imported = linesOf((await send(format, testsetId, body)).text);
      expect(checked).toEqual(imported.map(({ id: _id, ...line }) => line));
      expect(checked[0]).toEqual({ index: 0, status: 201 });
      expect(checked[1]).toMatchObject({
        index: 1,
        status: 201,
        validationErrors: expect.any(Array),
      });
    },
  );

  test('does not spend its Idempotency-Key', async () => {
    const testsetId = await createTestset(world);
    const key = { 'idempotency-key': 'dry' };
    await check('ndjson', testsetId, '{"question":"a"}', key);
    const [line] = linesOf((await send('ndjson', testsetId, '{"question":"b"}', key)).text);
    expect(line).toMatchObject({ status: 201, id: expect.any(String) });
    expect(await count(testsetId)).toBe(1);
  });

  test('is refused where an import is', async () => {
    expect((await check('ndjson', '00000000-0000-7000-8000-000000000000', '{}')).status).toBe(404);
    const testsetId = await createTestset(world);
    expect((await check('csv', testsetId, 'a,a\n1,2')).status).toBe(400);
    const reply = await sendTo('?dryRun=perhaps')('ndjson', testsetId, '{}');
    expect(reply.body.details.issues[0].path).toBe('?dryRun');
    expect(await count(testsetId)).toBe(0);
  });
});
