import type { Answers } from '@assay/contracts/define';
import type { results } from '@assay/contracts/results';
import type { Domain } from './domain.ts';

export const createAnswers = ({
  forgetting,
  looks,
  recordCosts,
  runSummaries,
}: Domain): Answers<typeof results> => ({
  runResults: (identity, { runId }) => runSummaries.one(identity, runId),
  forgetRun: (identity, { runId }) => forgetting.forgetRun(identity, runId),
  look: (identity, look) => looks.look(identity, look),
  recordCost: async (identity, record) => ({ costUsd: await recordCosts.of(identity, record) }),
});
