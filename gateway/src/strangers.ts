import { heldSecretsMax } from '@assay/contracts/identity';
import { createFairSemaphore } from '@assay/runtime/concurrency/fair-semaphore';
import { createGroupCommit } from '@assay/runtime/concurrency/group-commit';
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
    if (await isHeld({ address, secretHash })) return ask();
    throw tooMany(counted);
  };
}

/**
 * Looks hashes up together: those that come while a question is under way are in the next one. One
 * is not held where nobody can say, nor where too many wait.
 */
function createLookup(findHeld: (hashes: string[]) => Promise<string[]>) {
  const lookups = createGroupCommit<Lookup, boolean>({
    commit: async (asked) => {
      const held = new Set(await findHeld(asked.map(({ secretHash }) => secretHash)));
      return asked.map(({ secretHash }) => held.has(secretHash));
    },
    commitsMax: 1,
    itemsMax: heldSecretsMax,
    bytesMax: Number.POSITIVE_INFINITY,
    waitingBytesMax: waitingMax,
    bytesOf: () => 1,
    organizationOf: ({ address }) => address,
  });
  return (lookup: Lookup): Promise<boolean> => lookups.add(lookup).catch(() => false);
}

interface Lookup {
  address: string;
  secretHash: string;
}
