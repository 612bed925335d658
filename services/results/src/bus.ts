import type { Answers } from '@assay/contracts/define';
import type { results } from '@assay/contracts/results';
import type { Domain } from './domain.ts';

export const createAnswers = ({ looks, recordCosts }: Domain): Answers<typeof results> => ({
  look: (identity, look) => looks.look(identity, look),
  recordCost: async (identity, record) => ({ costUsd: await recordCosts.of(identity, record) }),
});
