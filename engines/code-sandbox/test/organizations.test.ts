import { inOrganizationContext } from '@assay/runtime/concurrency/organization-context';
import { expect, test } from 'vitest';
import { startSandbox } from './setting.ts';

test("an organization whose code never ends keeps no other's records waiting", async () => {
  const sandbox = startSandbox({ timeoutMs: 1000, children: 2 });
  const evaluate = (organizationId: string, source: string) =>
    inOrganizationContext({ organizationId }, () => sandbox.run('javascript', source));
  await evaluate('modest', 'function evaluate() { return true; }');
  let ended = 0;
  const attack = Array.from({ length: 16 }, () =>
    evaluate('greedy', 'function evaluate() { for (;;); }').then((outcome) => {
      ended += 1;
      return outcome;
    }),
  );
  for (let round = 0; round < 3; round++) {
    const outcome = await evaluate('modest', 'function evaluate() { return true; }');
    // On a machine whose cores are all busy it may take its second; it has had its turn then.
    if (outcome.ok) expect(outcome.value).toBe(true);
    else expect(outcome.code).toBe('timeout');
  }
  expect(ended).toBeLessThan(attack.length / 2);
  for (const outcome of await Promise.all(attack))
    expect(outcome).toMatchObject({ ok: false, code: 'timeout' });
});
