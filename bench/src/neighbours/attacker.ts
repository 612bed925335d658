import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { lowerChildPriority } from '@assay/runtime/concurrency/priority';
import type { Tally } from './tallies.ts';

/** Where the attacker's process sends its requests, as whom, and how much it prepares. */
export interface AttackTarget {
  url: string;
  key: string;
  pairsCount: number;
}

/** An order to the attacker's process; `tell` only asks what is done so far. */
export type AttackOrder =
  | { target: AttackTarget }
  | { prepare: string }
  | 'begin'
  | 'stop'
  | 'tell';

/** The answer of the attacker's process: the work of its attack, or why an order is not done. */
export type AttackAnswer = { kinds: readonly string[]; tallies: Tally[] } | { failure: string };

/**
 * The attacker's client, in a process of low priority: a real attacker has a machine of its own and
 * does not slow the service by sending. An order's promise resolves when all of it is done. Attacks
 * share the data that is prepared for them.
 */
export async function startAttacker(target: AttackTarget) {
  const child = fork(fileURLToPath(new URL('./attacker-program.js', import.meta.url)), {
    env: {},
    execArgv: [],
    detached: true,
  });
  lowerChildPriority(child.pid!);
  const exited = once(child, 'exit').then((): AttackAnswer => ({ failure: 'the process ended' }));

  async function order(what: AttackOrder) {
    const answered = once(child, 'message').then(([answer]): AttackAnswer => answer);
    child.send(what);
    const answer = await Promise.race([answered, exited]);
    if ('failure' in answer) throw new Error(answer.failure);
    return answer;
  }

  await order({ target });
  return {
    /** Returns the kinds of work that the attack consists of. */
    prepare: async (name: string) => (await order({ prepare: name })).kinds,
    begin: () => order('begin'),
    /** Returns the work of the attack since it began. */
    tallies: async () => (await order('tell')).tallies,
    stop: () => order('stop'),
    end: async () => {
      child.disconnect();
      await exited;
    },
  };
}
