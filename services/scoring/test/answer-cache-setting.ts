import { createAnswerCache } from '../src/domain/judging/answer-cache.ts';
import type { Judges } from '../src/judges.ts';
import type { StoredAnswer } from '../src/store/answers.ts';

/** An answer cache over a map, whose database may be away. */
export function memoryCache({
  judges,
  days = 30,
}: {
  judges: Pick<Judges, 'addressOf'>;
  days?: number;
}) {
  const kept = new Map<string, StoredAnswer>();
  const database = { isAway: false };
  const faults: unknown[] = [];
  const reach = () => {
    if (database.isAway) throw new Error('no primary');
  };
  const cache = createAnswerCache({
    store: {
      find: async (organizationId, keys) => {
        reach();
        return keys.flatMap((key) => kept.get(`${organizationId}/${key}`) ?? []);
      },
      keep: async (organizationId, answers) => {
        reach();
        for (const answer of answers) kept.set(`${organizationId}/${answer.key}`, answer);
      },
    },
    addressOf: judges.addressOf,
    days,
    onCachedAnswers: () => undefined,
    onAway: (error) => void faults.push(error),
    now: () => new Date(),
  });
  return { cache, kept, database, faults };
}
