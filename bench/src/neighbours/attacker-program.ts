import { setMaxListeners } from 'node:events';
import { type Attacker, createAttacker, type PreparedAttack } from './attack.ts';
import type { AttackAnswer, AttackOrder } from './attacker.ts';
import { attacks } from './attacks.ts';
import { createTallies } from './tallies.ts';

const tallies = createTallies();
let attacker: Attacker;
let attack: PreparedAttack = { kinds: [], run: async () => undefined };
let ending = new AbortController();
let ended: Promise<void> = Promise.resolve();

// Ends with the process that asks, in whatever way that ends.
process.on('disconnect', () => process.exit(0));
process.on('message', (order: AttackOrder) =>
  obey(order).then(
    () => answer({ kinds: attack.kinds, tallies: tallies.all() }),
    (error: Error) => answer({ failure: error.message }),
  ),
);

async function obey(order: AttackOrder): Promise<void> {
  if (order === 'tell') return;
  if (order === 'begin') {
    tallies.clear();
    ending = new AbortController();
    // One for each request that is under way.
    setMaxListeners(0, ending.signal);
    ended = attack.run(ending.signal).catch((error: Error) => tallies.miss('run', error.message));
  } else if (order === 'stop') {
    ending.abort();
    await ended;
  } else if ('target' in order) attacker = createAttacker({ ...order.target, tallies });
  else attack = await attacks.find(({ name }) => name === order.prepare)!.prepare(attacker);
}

const answer = (said: AttackAnswer): void => void process.send!(said);
