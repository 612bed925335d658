import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { lowerChildPriority } from '@assay/runtime/concurrency/priority';

/** An order to the attacker's process: to prepare an attack, to begin it, or to stop it. */
export type AttackOrder = { attack: string; url: string; key: string } | 'begin' | 'stop';

/** The process's answer: that the last order is done, or the reason why it is not. */
export type AttackAnswer = 'done' | { failure: string };

/**
 * The attacker's client, in a process of low priority: a real attacker has a machine of its own and
 * does not slow the service by sending. An order's promise resolves when all of it is done.
 */
export async function startAttacker(attack: { attack: string; url: string; key: string }) {
  const child = fork(fileURLToPath(new URL('./attacker-program.js', import.meta.url)), {
    env: {},
    execArgv: [],
    detached: true,
  });
  lowerChildPriority(child.pid!);
  const exited = once(child, 'exit').then((): AttackAnswer => ({ failure: 'the process ended' }));

  async function order(what: AttackOrder): Promise<void> {
    const answered = once(child, 'message').then(([answer]): AttackAnswer => answer);
    child.send(what);
    const answer = await Promise.race([answered, exited]);
    if (answer !== 'done') throw new Error(`The attacker failed: ${answer.failure}`);
  }

  await order(attack);
  return {
    begin: () => order('begin'),
    stop: async () => {
      await order('stop');
      child.disconnect();
      await exited;
    },
  };
}
