import { asOwnWork } from './organization-context.ts';

interface Waiting<Key, Answer> {
  key: Key;
  resolve: (answer: Answer) => void;
  reject: (error: unknown) => void;
}

/**
 * Makes one look-up of many: what is wanted in the same turn of the event loop is looked up together, `keysMax` at a time.
 * A look-up is never shared with one that is already under way, so an answer is as fresh as if each had asked for itself.
 */
export function gather<Key, Answer>(lookUp: (keys: Key[]) => Promise<Answer[]>, keysMax = 1000): (key: Key) => Promise<Answer> {
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
    for (let from = 0; from < all.length; from += keysMax) void asOwnWork(() => answer(all.slice(from, from + keysMax)));
  }

  return (key) =>
    new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(send);
      waiting.push({ key, resolve, reject });
    });
}
