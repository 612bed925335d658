import { newId } from '@assay/runtime/ids';
import { openDatabase } from '@assay/runtime/mongo/database';
import { afterAll, beforeAll, expect, inject, test } from 'vitest';
import { createAnnotations } from '../src/domain/annotations.ts';
import { createStore } from '../src/store.ts';

let database: Awaited<ReturnType<typeof openDatabase>>;
beforeAll(async () => {
  database = await openDatabase({
    uri: inject('servers').mongodbUri,
    name: `testcases-${newId()}`,
  });
});
afterAll(async () => {
  await database.collection('testcase_annotations').drop();
  await database.close();
});

test('mentions of a testset that is being deleted hide none of another', async () => {
  const [organizationId, projectId, userId, kept, deleted] = Array.from({ length: 5 }, newId);
  const identity = {
    organizationId: organizationId!,
    userId: userId!,
    role: 'admin' as const,
    apiKeyId: null,
    requestId: 'mentions',
  };
  const store = createStore(database);
  const ids: string[] = [];
  for (const testsetId of [kept!, deleted!, deleted!, deleted!, kept!, deleted!]) {
    const id = newId();
    if (testsetId === kept) ids.unshift(id);
    await store.annotations.create(organizationId!, {
      id,
      testcaseId: newId(),
      testsetId,
      projectId: projectId!,
      rating: null,
      comment: `<@${userId}>`,
      mentions: [userId!],
      editedAt: null,
      userId: userId!,
      createdAt: new Date(),
    });
  }
  const definition = {} as NonNullable<
    Awaited<ReturnType<Parameters<typeof createAnnotations>[0]['definitions']['find']>>
  >;
  const { mentions } = createAnnotations({
    store,
    ask: { identity: {} as Parameters<typeof createAnnotations>[0]['ask']['identity'] },
    definitions: { find: async (_identity, id) => (id === kept ? definition : undefined) },
    testcaseOf: () => Promise.reject(new Error('not asked')),
    newId,
    now: () => new Date(),
  });
  for (const limit of [1, 2, 3]) {
    const wanted = { projectId: projectId!, userId: userId!, after: null, limit };
    const found = (await mentions(identity, wanted)).mentions.map(({ id }) => id);
    expect(found).toEqual(ids.slice(0, limit));
  }
});
