import { start as startCatalog } from '@assay/catalog/service';
import { newId } from '@assay/runtime/ids';
import { startWorld, type World } from '@assay/testing/world';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { start } from '../src/service.ts';
import { createTestset, linesOf } from './testset.ts';

const versionsMax = 3;

let world: World;
beforeAll(async () => {
  world = await startWorld({
    services: { catalog: startCatalog, testcases: start },
    config: { TESTCASE_VERSIONS_MAX: versionsMax },
  });
});
afterAll(() => world.stop());

const others = { identity: { organizationId: newId() } };
const asking = (question: string) => ({ question, idealAnswer: 'Yes.' });

async function createTestcase(testsetId: string, question: string, key?: string): Promise<string> {
  const body = { items: [{ jsonData: asking(question), ...(key === undefined ? {} : { key }) }] };
  return (await world.request('POST', `/testsets/${testsetId}/testcases`, body)).body.items[0].id;
}
const update = (id: string, question: string) =>
  world.request('PUT', `/testcases/${id}`, { jsonData: asking(question) });
const remove = (...ids: string[]) => world.request('POST', '/testcases/bulk-delete', { ids });
const restore = (id: string, version: number, options = {}) =>
  world.request('POST', `/testcases/${id}/restore`, { version }, options);
const versions = (id: string, query = '', options = {}) =>
  world.request('GET', `/testcases/${id}/versions${query}`, undefined, options);
const get = (id: string) => world.request('GET', `/testcases/${id}`);
const importAll = async (testsetId: string, mode: string, entries: object[]) =>
  linesOf(
    (
      await world.request(
        'POST',
        `/testsets/${testsetId}/testcases/import?mode=${mode}`,
        undefined,
        {
          raw: entries.map((entry) => JSON.stringify(entry)).join('\n'),
          headers: { 'content-type': 'application/x-ndjson' },
        },
      )
    ).text,
  );
const changes = (testsetId: string, since: string, query = '', options = {}) =>
  world.request('GET', `/testsets/${testsetId}/changes?since=${since}${query}`, undefined, options);
/** An instant that all writes before it precede, and none after it. */
async function between(): Promise<string> {
  const at = Date.now() + 1;
  while (Date.now() <= at);
  return new Date(at).toISOString();
}
// biome-ignore lint/suspicious/noExplicitAny: a test reads any field of a reply, and checks it.
const told = ({ body }: { body: any }) =>
  body.data.map(({ testcaseId, change }: { testcaseId: string; change: string }) => [
    testcaseId,
    change,
  ]);

describe('the versions of a testcase', () => {
  test('an update keeps the data before it, with who made it and when', async () => {
    const id = await createTestcase(await createTestset(world), 'First?', 'one');
    const before = Date.now();
    await update(id, 'Second?');
    const { body } = await versions(id);
    expect(body).toEqual({
      data: [
        {
          testcaseId: id,
          version: 1,
          key: 'one',
          jsonData: asking('First?'),
          createdAt: expect.any(String),
          change: 'updated',
          changedAt: expect.any(String),
          changedByUserId: expect.any(String),
        },
      ],
      nextCursor: null,
      hasMore: false,
    });
    expect(Date.parse(body.data[0].changedAt)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(body.data[0].createdAt)).toBeLessThanOrEqual(before);
  });

  test('an update that changes nothing keeps nothing', async () => {
    const id = await createTestcase(await createTestset(world), 'First?');
    await update(id, 'First?');
    expect((await versions(id)).body.data).toEqual([]);
  });

  test('the oldest version goes when there are too many', async () => {
    const id = await createTestcase(await createTestset(world), 'Question 1?');
    for (let number = 2; number <= versionsMax + 3; number += 1)
      await update(id, `Question ${number}?`);
    const { body } = await versions(id);
    expect(body.data.map(({ version }: { version: number }) => version)).toEqual([5, 4, 3]);
    expect(body.data[2].jsonData).toEqual(asking('Question 3?'));
    expect((await restore(id, 1)).body.details.issues[0].path).toBe('/version');
  });

  test('the list has pages', async () => {
    const id = await createTestcase(await createTestset(world), 'First?');
    await update(id, 'Second?');
    await update(id, 'Third?');
    await remove(id);
    const numbers: number[] = [];
    let cursor: string | null = '';
    do {
      const { body } = await versions(id, `?limit=1${cursor ? `&cursor=${cursor}` : ''}`);
      numbers.push(...body.data.map(({ version }: { version: number }) => version));
      cursor = body.nextCursor;
    } while (cursor !== null);
    expect(numbers).toEqual([3, 2, 1]);
  });

  test('an import keeps what it replaces, of many testcases and of no others', async () => {
    const testsetId = await createTestset(world);
    const entries = (text: string) =>
      Array.from({ length: 700 }, (_, index) => ({
        key: `k${index}`,
        jsonData: asking(index === 0 ? 'The same?' : `${text} ${index}?`),
      }));
    const created = await importAll(testsetId, 'upsert', entries('Old'));
    await importAll(testsetId, 'upsert', entries('New'));
    expect((await versions(created[0].id)).body.data).toEqual([]);
    for (const index of [1, 699])
      expect((await versions(created[index].id)).body.data).toMatchObject([
        { version: 1, key: `k${index}`, jsonData: asking(`Old ${index}?`), change: 'updated' },
      ]);
    for (const text of ['a', 'b', 'c', 'd']) await importAll(testsetId, 'upsert', entries(text));
    expect(
      (await versions(created[5].id)).body.data.map(({ version }: { version: number }) => version),
    ).toEqual([5, 4, 3]);
  });

  test('another organization sees and restores none', async () => {
    const testsetId = await createTestset(world);
    const id = await createTestcase(testsetId, 'First?');
    await update(id, 'Second?');
    await remove(id);
    expect((await versions(id, '', others)).status).toBe(404);
    expect((await restore(id, 1, others)).status).toBe(404);
    expect((await changes(testsetId, '2026-01-01T00:00:00Z', '', others)).status).toBe(404);
  });
});

describe('restoring', () => {
  test('a testcase has the data of a version again, and what it had is a version', async () => {
    const id = await createTestcase(await createTestset(world), 'First?');
    await update(id, 'Second?');
    const reply = await restore(id, 1);
    expect([reply.status, reply.body.jsonData]).toEqual([200, asking('First?')]);
    expect((await get(id)).body).toEqual(reply.body);
    expect((await versions(id)).body.data).toMatchObject([
      { version: 2, jsonData: asking('Second?') },
      { version: 1, jsonData: asking('First?') },
    ]);
  });

  test('a deleted testcase comes back under its id and key, with any of its versions', async () => {
    const testsetId = await createTestset(world);
    const id = await createTestcase(testsetId, 'First?', 'one');
    await update(id, 'Second?');
    await remove(id);
    expect((await get(id)).status).toBe(404);
    expect((await update(id, 'Third?')).status).toBe(404);
    expect((await versions(id)).body.data).toMatchObject([
      { version: 2, key: 'one', change: 'deleted', jsonData: asking('Second?') },
      { version: 1, change: 'updated' },
    ]);
    expect((await restore(id, 1)).body).toMatchObject({
      id,
      key: 'one',
      jsonData: asking('First?'),
    });
    const list = await world.request('GET', `/testsets/${testsetId}/testcases?key=one`);
    expect(list.body.data).toMatchObject([{ id, jsonData: asking('First?') }]);
    expect((await versions(id)).body.data).toHaveLength(2);
    await remove(id);
    expect((await restore(id, 3)).body.jsonData).toEqual(asking('First?'));
  });

  test('the version that a testcase has cannot be restored, and the reply says so', async () => {
    const id = await createTestcase(await createTestset(world), 'First?');
    await update(id, 'Second?');
    const reply = await restore(id, 2);
    expect([reply.status, reply.body.details.issues]).toEqual([
      400,
      [{ path: '/version', message: 'is the version that the testcase has already' }],
    ]);
    expect((await restore(id, 3)).body.details.issues).toEqual([
      { path: '/version', message: 'is not a version of this testcase that is kept' },
    ]);
  });

  test('a key that another testcase took since is a conflict, and nothing changes', async () => {
    const testsetId = await createTestset(world);
    const id = await createTestcase(testsetId, 'First?', 'one');
    await remove(id);
    await createTestcase(testsetId, 'Another?', 'one');
    expect((await restore(id, 1)).status).toBe(409);
    expect((await get(id)).status).toBe(404);
    expect((await versions(id)).body.data).toHaveLength(1);
  });

  test('all who restore a deleted testcase at once have it', async () => {
    const id = await createTestcase(await createTestset(world), 'First?');
    await update(id, 'Second?');
    await remove(id);
    const replies = await Promise.all([1, 2, 3, 4].map(() => restore(id, 1)));
    expect(replies.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect((await get(id)).body.jsonData).toEqual(asking('First?'));
    expect((await versions(id)).body.data).toHaveLength(2);
  });

  test('a testcase that is not there is a 404 that says how long deleted ones are kept', async () => {
    for (const reply of [await restore(newId(), 1), await versions(newId())])
      expect([reply.status, reply.body.message]).toEqual([
        404,
        'There is no testcase with this id. One that was deleted can be restored for 30 days.',
      ]);
  });

  test('testcases of a deleted testset cannot be restored', async () => {
    const testsetId = await createTestset(world);
    const id = await createTestcase(testsetId, 'First?');
    await remove(id);
    await world.request('DELETE', `/testsets/${testsetId}`);
    expect((await restore(id, 1)).status).toBe(404);
    expect((await versions(id)).status).toBe(404);
  });
});

describe('the changes of a testset between two times', () => {
  test('each testcase is told once, with its data at both times', async () => {
    const testsetId = await createTestset(world);
    const [kept, changed, deleted, back] = [
      await createTestcase(testsetId, 'Kept?'),
      await createTestcase(testsetId, 'Before?'),
      await createTestcase(testsetId, 'Deleted?'),
      await createTestcase(testsetId, 'There and back?'),
    ];
    const since = await between();
    await update(changed, 'Between?');
    await update(back, 'Elsewhere?');
    await update(changed, 'After?');
    await update(back, 'There and back?');
    await remove(deleted);
    const added = await createTestcase(testsetId, 'Added?');
    const passing = await createTestcase(testsetId, 'For a moment?');
    await remove(passing);
    const until = await between();
    await update(kept, 'Later?');
    await remove(changed);

    const reply = await changes(testsetId, since, `&until=${until}`);
    expect(reply.body.data).toEqual([
      expect.objectContaining({
        testcaseId: passing,
        change: 'deleted',
        before: asking('For a moment?'),
        version: 1,
      }),
      expect.objectContaining({ testcaseId: added, change: 'added', before: null, fields: [] }),
      expect.objectContaining({
        testcaseId: deleted,
        change: 'deleted',
        before: asking('Deleted?'),
        after: null,
        version: 1,
        changedByUserId: expect.any(String),
      }),
      expect.objectContaining({
        testcaseId: changed,
        change: 'changed',
        before: asking('Before?'),
        after: asking('After?'),
        version: 1,
        fields: ['/question'],
      }),
    ]);
    expect(told(await changes(testsetId, until))).toEqual([
      [changed, 'deleted'],
      [kept, 'changed'],
    ]);
    expect(told(await changes(testsetId, '2020-01-01T00:00:00Z', `&until=${since}`))).toEqual(
      [back, deleted, changed, kept].map((id) => [id, 'added']),
    );
  });

  test('a testcase that came back is added after its deletion, and the same before it', async () => {
    const testsetId = await createTestset(world);
    const id = await createTestcase(testsetId, 'First?');
    const start = await between();
    await remove(id);
    const since = await between();
    await restore(id, 1);
    expect(told(await changes(testsetId, since))).toEqual([[id, 'added']]);
    expect(told(await changes(testsetId, start, `&until=${since}`))).toEqual([[id, 'deleted']]);
    expect(told(await changes(testsetId, start))).toEqual([]);
  });

  test('data that is no longer kept is told as a change without the data before', async () => {
    const testsetId = await createTestset(world);
    const id = await createTestcase(testsetId, 'Question 0?');
    const since = await between();
    for (let number = 1; number <= versionsMax + 2; number += 1)
      await update(id, `Question ${number}?`);
    expect((await changes(testsetId, since)).body.data).toMatchObject([
      {
        testcaseId: id,
        change: 'changed',
        version: null,
        before: null,
        after: asking('Question 5?'),
      },
    ]);
  });

  test('the pages of many changes have each testcase once', async () => {
    const testsetId = await createTestset(world);
    const entries = (text: string, count: number) =>
      Array.from({ length: count }, (_, index) => ({
        key: `k${index}`,
        jsonData: asking(`${text} ${index}?`),
      }));
    await importAll(testsetId, 'sync', entries('Old', 450));
    const since = await between();
    await importAll(testsetId, 'sync', entries('New', 230));
    const found = new Map<string, string>();
    let cursor: string | null = '';
    let rows = 0;
    do {
      const page: Awaited<ReturnType<typeof changes>> = await changes(
        testsetId,
        since,
        `&limit=100${cursor ? `&cursor=${cursor}` : ''}`,
      );
      for (const { testcaseId, change } of page.body.data) found.set(testcaseId, change);
      rows += page.body.data.length;
      cursor = page.body.nextCursor;
    } while (cursor !== null);
    expect([rows, found.size]).toEqual([450, 450]);
    const ofKind = (kind: string) => [...found.values()].filter((each) => each === kind).length;
    expect([ofKind('deleted'), ofKind('changed')]).toEqual([220, 230]);
  });

  test('times in the wrong order, and a cursor of another list, are refused', async () => {
    const testsetId = await createTestset(world);
    const reply = await changes(testsetId, '2026-02-01T00:00:00Z', '&until=2026-01-01T00:00:00Z');
    expect([reply.status, reply.body.details.issues[0].path]).toEqual([400, '?until']);
    const future = await changes(testsetId, '9999-01-01T00:00:00Z');
    expect([future.status, future.body.details.issues]).toEqual([
      400,
      [{ path: '?since', message: 'must not be in the future' }],
    ]);
    expect((await changes(testsetId, '2026-02-01T00:00:00Z', '&cursor=eHh4')).status).toBe(400);
  });
});
