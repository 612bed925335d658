import { poll } from '@assay/testing/poll';
import { expect, test } from 'vitest';
import { createJobShares, waitingEach } from '../../bus/job-shares.ts';

const queue = { stream: 'jobs', subject: 'jobs.1', durable: 'jobs-1' };

/** A queue whose progress the test sets, and what was published in it. */
function open() {
  const progress = { begun: 0, published: 0 };
  const published: string[] = [];
  const shares = createJobShares(async () => progress);
  const publish = (organizationId: string, name: string) =>
    shares.publish({ queue, organizationId }, async () => {
      published.push(name);
      progress.published += 1;
      return progress.published;
    });
  return { progress, published, publish, shares };
}

const names = (count: number): string[] => Array.from({ length: count }, (_, index) => `${index}`);

test('an organization has few jobs in front of those of another, and the rest follows in order as they are begun', async () => {
  const { progress, published, publish } = open();
  const all = names(3 * waitingEach);
  const flood = Promise.all(all.map((name) => publish('flood', name)));
  await poll('its share is published', async () => published.length === waitingEach);
  await publish('other', 'of another');
  expect(published).toEqual([...names(waitingEach), 'of another']);
  progress.begun = 4;
  await poll('as many follow as were begun', async () => published.length >= waitingEach + 5);
  const step = setInterval(() => {
    progress.begun = progress.published;
  }, 10);
  await flood;
  clearInterval(step);
  expect(published.filter((name) => name !== 'of another')).toEqual(all);
});

test('jobs of a queue that the bus has lost do not count', async () => {
  const { progress, published, publish } = open();
  await Promise.all(names(waitingEach).map((name) => publish('one', name)));
  progress.published = 0;
  await publish('one', 'after the loss');
  expect(published.at(-1)).toBe('after the loss');
});

test('what has no room when the service stops is refused, and what has room is not', async () => {
  const { published, publish, shares } = open();
  await Promise.all(names(waitingEach - 1).map((name) => publish('one', name)));
  shares.stop();
  await publish('one', 'the last');
  await expect(publish('one', 'one more')).rejects.toMatchObject({ code: 'SERVICE_UNAVAILABLE' });
  expect(published.at(-1)).toBe('the last');
});
