import { createLog } from '@assay/runtime/log';
import { poll } from '@assay/testing/poll';
import { expect, onTestFinished, test } from 'vitest';
import { createDueWork, type DueWorkOptions } from '../../concurrency/due-work.ts';
import { organizationContext } from '../../concurrency/organization-context.ts';

function start(
  options: Pick<DueWorkOptions, 'organizations' | 'work'> &
    Partial<Pick<DueWorkOptions, 'atOnce' | 'everyMs' | 'isSuspended'>>,
) {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const log = createLog({ name: 'test', level: 'warn', destination });
  const due = createDueWork({ failure: 'it is done later', log, ...options });
  due.start();
  onTestFinished(due.stop);
  return { due, lines };
}

test('an organization with much to do keeps no other waiting for more than a round', async () => {
  const rounds: string[] = [];
  let left = 1000;
  let isOtherDone = false;
  start({
    atOnce: 1,
    organizations: async () => ['busy', ...(isOtherDone ? [] : ['other'])],
    work: async (organizationId) => {
      expect(organizationContext()).toMatchObject({ organizationId });
      rounds.push(organizationId);
      await new Promise(setImmediate);
      if (organizationId === 'busy') return --left > 0;
      isOtherDone = true;
      return false;
    },
  });
  await poll('all is done', async () => left <= 0);
  expect(rounds.indexOf('other')).toBe(1);
});

test('an organization whose work does not end has one round under way, and others go on', async () => {
  let begun = 0;
  let done = 0;
  let end: () => void = () => undefined;
  const endless = new Promise<void>((resolve) => {
    end = resolve;
  });
  const { due } = start({
    organizations: async () => ['endless', 'other'],
    work: async (organizationId) => {
      if (organizationId === 'endless') {
        begun += 1;
        await endless;
      } else done += 1;
      return false;
    },
  });
  await poll('the other is worked for again and again', async () => done >= 3);
  expect(begun).toBe(1);
  let isStopped = false;
  const stopping = due.stop().then(() => {
    isStopped = true;
  });
  await new Promise(setImmediate);
  expect(isStopped).toBe(false);
  end();
  await stopping;
});

test('work that fails is told, and tried again', async () => {
  let tries = 0;
  const { lines } = start({
    organizations: async () => ['one'],
    work: async () => {
      tries += 1;
      if (tries === 1) throw new Error('away');
      return false;
    },
  });
  await poll('it is tried again', async () => tries > 1);
  expect(lines.map((line) => JSON.parse(line).msg)).toEqual(['it is done later']);
});

test('what becomes due during a round is done by another, without waiting for the next look', async () => {
  const due = ['first'];
  const done: string[] = [];
  let wake: () => void = () => undefined;
  const { due: dueWork } = start({
    everyMs: 3_600_000,
    organizations: async () => [],
    work: async () => {
      done.push(...due.splice(0));
      if (done.length === 1) {
        await new Promise(setImmediate);
        due.push('second');
        wake();
      }
      return false;
    },
  });
  wake = () => dueWork.wake('one');
  dueWork.wake('one');
  await poll('both are done', async () => done.length === 2);
});

test('nothing is done for a suspended organization, and all that is due once it is resumed', async () => {
  const suspended = new Set(['a']);
  const done = { a: 0, b: 0 };
  start({
    everyMs: 10,
    organizations: async () => ['a', 'b'],
    isSuspended: (organizationId) => suspended.has(organizationId),
    work: async (organizationId) => {
      const organization = organizationId as 'a' | 'b';
      done[organization] += 1;
      // Suspended between two rounds.
      if (organization === 'b') suspended.add('b');
      return done[organization] < 3;
    },
  });
  await poll('the first round is done', () => done.b === 1);
  expect(done).toEqual({ a: 0, b: 1 });
  suspended.clear();
  await poll('all is done', () => done.a >= 3);
});
