import { expect, test } from 'vitest';
import { createNameBatches, type NamedThing } from '../src/api/name-batches.ts';

const thing = (id: string): NamedThing => ({
  kind: 'run',
  id,
  name: `Name of ${id}`,
  createdAt: '2026-03-01T00:00:00.000Z',
});

test('names that are asked for at one moment come by one request for each hundred of a project', async () => {
  const requests: { projectId: string; ids: string[] }[] = [];
  const askName = createNameBatches(async (projectId, ids) => {
    requests.push({ projectId, ids });
    return ids.filter((id) => id !== 'gone').map(thing);
  });
  const many = Array.from({ length: 101 }, (_, index) => `${index}`);
  const answers = await Promise.all([
    ...many.map((id) => askName('p', id)),
    askName('p', '0'),
    askName('p', 'gone'),
    askName('q', 'a'),
  ]);
  expect(requests.map(({ projectId, ids }) => [projectId, ids.length]).toSorted()).toEqual([
    ['p', 100],
    ['p', 2],
    ['q', 1],
  ]);
  expect(answers.map((answer) => answer?.name ?? null)).toEqual([
    ...many.map((id) => `Name of ${id}`),
    'Name of 0',
    null,
    'Name of a',
  ]);
});

test('a request that fails is an error of each name in it, and the next one asks again', async () => {
  let isUp = false;
  const askName = createNameBatches(async (_projectId, ids) => {
    if (!isUp) throw new Error('away');
    return ids.map(thing);
  });
  const failed = await Promise.allSettled([askName('p', 'a'), askName('p', 'b')]);
  expect(failed.map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  isUp = true;
  expect((await askName('p', 'a'))?.name).toBe('Name of a');
});
