import type { Database } from '@assay/runtime/mongo/database';
import { createFirstAnswers } from '@assay/runtime/mongo/first-answers';
import { createKeptResultStore } from './store/kept-results.ts';

export type Store = ReturnType<typeof createStore>;

/** Answers that were computed before: to Idempotency-Keys, summaries and comparisons. */
export const createStore = (database: Database) => ({
  answers: createFirstAnswers(database),
  keptResults: createKeptResultStore(database),
});
