import { LRUCache } from 'lru-cache';

export interface AnswerMemory<Value> {
  /** The answer that is remembered, or else that of `find`, which one call asks for all. */
  ask(key: string, find: () => Promise<Value>): Promise<Value>;
  forget(key: string): void;
}

/** Remembers answers for `ttl` ms, `max` of them; one that failed is forgotten at once. */
export function createAnswerMemory<Value>({
  max,
  ttl,
}: {
  max: number;
  ttl: number;
}): AnswerMemory<Value> {
  const answers = new LRUCache<string, Promise<Value>>({ max, ttl });
  return {
    ask(key, find) {
      const known = answers.get(key);
      if (known) return known;
      const answer = find();
      answers.set(key, answer);
      answer.catch(() => answers.get(key) === answer && answers.delete(key));
      return answer;
    },
    forget(key) {
      answers.delete(key);
    },
  };
}
