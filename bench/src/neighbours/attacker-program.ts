import { setMaxListeners } from 'node:events';
import { callAt } from '../client.ts';
import type { AttackAnswer, AttackOrder } from './attacker.ts';
import { attacks } from './attacks.ts';

const ending = new AbortController();
// One for each request that is under way.
setMaxListeners(0, ending.signal);
let attack: (signal: AbortSignal) => Promise<void> = async () => undefined;
let ended: Promise<void> = Promise.resolve();

// Ends with the process that asks, in whatever way that ends.
process.on('disconnect', () => process.exit(0));
process.on('message', (order: AttackOrder) =>
  obey(order).then(
    () => answer('done'),
    (error: Error) => answer({ failure: error.message }),
  ),
);

async function obey(order: AttackOrder): Promise<void> {
  if (order === 'begin') ended = attack(ending.signal).catch(() => undefined);
  else if (order === 'stop') {
    ending.abort();
    await ended;
  } else {
    const { url, key } = order;
    attack = await attacks
      .find(({ name }) => name === order.attack)!
      .prepare({ url, key, call: callAt(url, key) });
  }
}

const answer = (said: AttackAnswer): void => void process.send!(said);
