import { setMaxListeners } from 'node:events';
import { callAt } from '../client.ts';
import type { Attacker, PreparedAttack } from './attack.ts';
import type { AttackAnswer, AttackOrder, AttackTarget } from './attacker.ts';
import { attacks } from './attacks.ts';
import { createTallies } from './tallies.ts';

const tallies = createTallies();
const made = new Map<unknown, Promise<unknown>>();
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
  } else if ('target' in order) attacker = attackerOf(order.target);
  else attack = await attacks.find(({ name }) => name === order.prepare)!.prepare(attacker);
}

const attackerOf = ({ url, key, pairsCount }: AttackTarget): Attacker => ({
  url,
  key,
  pairsCount,
  tallies,
  call: callAt(url, key),
  shared: <Value>(make: (attacker: Attacker) => Promise<Value>) => {
    if (!made.has(make)) made.set(make, make(attacker));
    return made.get(make) as Promise<Value>;
  },
});

const answer = (said: AttackAnswer): void => void process.send!(said);
