import { poll } from '@assay/testing/poll';
import { expect, test } from 'vitest';
import { createGroupCommit } from '../../concurrency/group-commit.ts';
import {
  inOrganizationContext,
  organizationContext,
} from '../../concurrency/organization-context.ts';

function controlled(
  options: Partial<Parameters<typeof createGroupCommit<number, number>>[0]> = {},
) {
  const groups: { items: number[]; finish: () => void; fail: (error: Error) => void }[] = [];
  const commits = createGroupCommit<number, number>({
    itemsMax: 3,
    bytesMax: 100,
    commitsMax: 1,
    waitingBytesMax: 100,
    bytesOf: (item) => item,
    organizationOf: () => 'one',
    commit: (items) =>
      new Promise((resolve, reject) =>
        groups.push({ items, finish: () => resolve(items.map((item) => item * 10)), fail: reject }),
      ),
    ...options,
  });
  const group = (index: number) => poll('the commit', () => groups[index]);
  return { groups, group, commits };
}

test('the first goes alone, and what comes meanwhile goes together, each with its own answer', async () => {
  const { groups, group, commits } = controlled();
  const answers = [1, 2, 3].map((item) => commits.add(item));
  expect(groups.map(({ items }) => items)).toEqual([[1]]);
  (await group(0)).finish();
  expect(await answers[0]).toBe(10);
  expect((await group(1)).items).toEqual([2, 3]);
  (await group(1)).finish();
  expect(await Promise.all(answers)).toEqual([10, 20, 30]);
  await commits.drain();
});

test('a group is bounded in items and bytes, but one large item goes all the same', async () => {
  const { groups, group, commits } = controlled({ bytesMax: 10, waitingBytesMax: 1000 });
  const answers = [1, 2, 3, 4, 5, 99].map((item) => commits.add(item));
  for (let index = 0; index < 4; index++) {
    (await group(index)).finish();
    await answers[[0, 3, 4, 5][index]!];
  }
  expect(groups.map(({ items }) => items)).toEqual([[1], [2, 3, 4], [5], [99]]);
});

test('past the bound of what may wait, a new one is refused with a time to come back', async () => {
  const { group, commits } = controlled({ waitingBytesMax: 5 });
  const first = commits.add(1);
  const waiting = commits.add(5);
  await expect(commits.add(1)).rejects.toMatchObject({
    code: 'SERVICE_UNAVAILABLE',
    retryAfterSeconds: 1,
  });
  (await group(0)).finish();
  await first;
  (await group(1)).finish();
  expect(await waiting).toBe(50);
});

test('a commit that fails fails its own group only', async () => {
  const { group, commits } = controlled();
  const first = commits.add(1);
  const second = commits.add(2);
  (await group(0)).fail(new Error('no'));
  await expect(first).rejects.toThrow('no');
  (await group(1)).finish();
  expect(await second).toBe(20);
});

test('what one organization has waiting refuses no record of another', async () => {
  const { group, commits } = controlled({
    waitingBytesMax: 70,
    organizationOf: (item) => (item < 10 ? 'modest' : 'greedy'),
  });
  const answers = [commits.add(10), commits.add(70)];
  await expect(commits.add(10)).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  answers.push(commits.add(5));
  (await group(0)).finish();
  (await group(1)).finish();
  expect(await Promise.all(answers)).toEqual([100, 700, 50]);
});

test('a group is committed as work of the service, and not as that of whoever began it', async () => {
  let during: unknown = 'nothing';
  const { commits } = controlled({
    organizationOf: () => 'greedy',
    commit: async (items) => {
      during = organizationContext();
      return items;
    },
  });
  expect(await inOrganizationContext({ organizationId: 'greedy' }, () => commits.add(1))).toBe(1);
  expect(during).toBeUndefined();
});

test('while several organizations ask, fewer groups are committed at once', async () => {
  const { groups, group, commits } = controlled({
    itemsMax: 1,
    commitsMax: 2,
    commitsBesideOthers: 1,
  });
  for (const organizationId of ['one', 'two'])
    inOrganizationContext({ organizationId }, () => undefined);
  const answers = [1, 2, 3].map((item) => commits.add(item));
  for (let index = 0; index < 3; index++) {
    expect(groups).toHaveLength(index + 1);
    groups[index]!.finish();
    expect(await answers[index]).toBe((index + 1) * 10);
    await group(Math.min(index + 1, 2));
  }
  await commits.drain();
});
