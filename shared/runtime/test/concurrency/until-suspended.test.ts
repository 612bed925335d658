import { expect, test } from 'vitest';
import { createUntilSuspended } from '../../concurrency/until-suspended.ts';

const endless = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)));

test('work under way ends with the suspension of its organization, and no other does', async () => {
  let isSuspended = false;
  const untilSuspended = createUntilSuspended(
    (organizationId) => organizationId === 'a' && isSuspended,
  );
  const stop = new AbortController();
  const [ofA, ofB] = [
    Promise.allSettled([untilSuspended({ organizationId: 'a' }, endless)]),
    Promise.allSettled([untilSuspended({ organizationId: 'b', signal: stop.signal }, endless)]),
  ];
  expect(await untilSuspended({ organizationId: 'a' }, async () => 'done')).toBe('done');
  isSuspended = true;
  expect(await ofA).toMatchObject([{ reason: { code: 'FORBIDDEN' } }]);
  stop.abort('stopped');
  expect(await ofB).toMatchObject([{ reason: 'stopped' }]);
});
