import { createDailyBudget } from './domain/daily-budget.ts';
import { createDeadLetters } from './domain/dead-letters.ts';
import { createDeletion } from './domain/deletion.ts';
import type { Dependencies } from './domain/dependencies.ts';
import type { Judge } from './domain/judging.ts';
import { createKnownVersions } from './domain/known-versions.ts';
import { createMetricChecks } from './domain/metric-checks.ts';
import { createPairwiseComparisons } from './domain/pairwise/comparisons.ts';
import { createPairJudging } from './domain/pairwise/pair-judging.ts';
import { createPreviews } from './domain/preview.ts';
import { createProjectPart } from './domain/project-part.ts';
import { createProviderOutages } from './domain/provider-outages.ts';
import { createRecordScoring } from './domain/record-scoring.ts';

export type Domain = ReturnType<typeof createDomain>;

/** How scores are made, by jobs and in previews (contract section 3). */
export function createDomain(dependencies: Dependencies) {
  const { judges, defaultModel } = dependencies;
  const judge: Judge = (score, pay) =>
    dependencies.untilSuspended(score, (signal) => dependencies.judge({ ...score, signal }, pay));
  const dailyBudget = createDailyBudget({ ...dependencies, judge });
  const outages = createProviderOutages(dependencies);
  const within = {
    ...dependencies,
    judge: dailyBudget.judge,
    knownVersions: createKnownVersions(dependencies.ask),
  };
  return {
    dailyBudget,
    recordScoring: createRecordScoring(within),
    giveUp: createDeadLetters(dependencies),
    pairJudging: createPairJudging(within),
    pairwiseComparisons: createPairwiseComparisons(within),
    previews: createPreviews({ ...within, dailyBudget }),
    deletion: createDeletion(dependencies),
    projectPart: createProjectPart(dependencies),
    metricChecks: createMetricChecks(dependencies),
    judges: {
      describe: judges.describe,
      priceOfSpan: judges.priceOfSpan,
      list: async () => ({
        defaultModel,
        data: judges.catalogue(),
        waitingFor: await outages.list(),
      }),
      waitingFor: outages.among,
    },
  };
}
