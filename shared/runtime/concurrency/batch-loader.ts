import { asOwnWork } from './organization-context.ts';

interface Waiting<Key, Answer> {
  key: Key;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Loads the keys that are asked for in one turn of the event loop together, at most `keysMax` at a
 * time. It never joins a load that has begun, so every answer is as fresh as one of its own.
 */
export function createBatchLoader<Key, Answer>(
  lookUp: (keys: Key[]) => Promise<Answer[]>,
  keysMax = 1000,
): (key: Key) => Promise<Answer> {
  let waiting: Waiting<Key, Answer>[] = [];

  async function answer(group: Waiting<Key, Answer>[]): Promise<void> {
    try {
      const answers = await lookUp(group.map(({ key }) => key));
      for (const [index, { resolve }] of group.entries()) resolve(answers[index]!);
    } catch (error) {
      for (const { reject } of group) reject(error);
    }
  }

  function send(): void {
    const all = waiting;
    waiting = [];
    for (let from = 0; from < all.length; from += keysMax)
      void asOwnWork(() => answer(all.slice(from, from + keysMax)));
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ key, resolve, reject });
    });
}
