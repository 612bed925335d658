import { heldSecretsMax } from '@assay/contracts/identity';
import { createFairSemaphore } from '@assay/runtime/concurrency/fair-semaphore';
import { createAddressCounts, tooMany } from './address-counts.ts';

/** Questions about unknown keys of one address at once. */
const askedAtOnce = 16;
/** Hashes that wait for a question about many; more are refused. */
const waitingMax = 20_000;
const counted = 'unknown API keys';

interface StrangersOptions<Answer> {
  now: () => number;
  /** Which of the hashes are of a key or a session that there is. */
  findHeld: (secretHashes: string[]) => Promise<string[]>;
  isKnown: (answer: Answer) => boolean;
}

type AskAboutStranger<Answer> = (
  address: string,
  secretHash: string,
  ask: () => Promise<Answer>,
) => Promise<Answer>;

/**
 * Bounds the questions about keys that this gateway does not know, since each costs a message on
 * the bus and a read of the database. A few of an address are asked about at once. Where too many of
 * them in a second were nobody's, the next ones are looked up together: those that nobody has are
 * refused, and a good one goes on, however many others come beside it.
 */
export function createStrangers<Answer>({
  now,
  findHeld,
  isKnown,
}: StrangersOptions<Answer>): AskAboutStranger<Answer> {
  const withPermit = createFairSemaphore({ permits: 4 * askedAtOnce, permitsEach: askedAtOnce });
  const { isFull, count } = createAddressCounts(now, counted);
  const isHeld = createLookup(findHeld);

  const askAlone = (address: string, ask: () => Promise<Answer>): Promise<Answer | undefined> =>
    withPermit(address, async () => {
      if (isFull(address)) return undefined;
      const answer = await ask();
      if (!isKnown(answer)) count(address);
      return answer;
    });

  return async (address, secretHash, ask) => {
    const answer = isFull(address) ? undefined : await askAlone(address, ask);
    if (answer !== undefined) return answer;
    if (await isHeld(secretHash)) return ask();
    throw tooMany(counted);
  };
}

/**
 * Looks hashes up together: those that come while a question is under way are in the next one. One
 * is not held where nobody can say.
 */
function createLookup(
  findHeld: (hashes: string[]) => Promise<string[]>,
): (hash: string) => Promise<boolean> {
  const waiting: { hash: string; tell: (isHeld: boolean) => void }[] = [];
  let isAsking = false;

  async function askOn(): Promise<void> {
    isAsking = true;
    while (waiting.length > 0) {
      const some = waiting.splice(0, heldSecretsMax);
      const held = new Set(
        await findHeld([...new Set(some.map(({ hash }) => hash))]).catch(() => []),
      );
      for (const { hash, tell } of some) tell(held.has(hash));
    }
    isAsking = false;
  }

  return (hash) => {
    if (waiting.length >= waitingMax) return Promise.resolve(false);
    return new Promise((tell) => {
      waiting.push({ hash, tell });
      if (!isAsking) void askOn();
    });
  };
}
