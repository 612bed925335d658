import { createComparisons } from './domain/comparison.ts';
import type { Dependencies } from './domain/dependencies.ts';
import { createForgetting } from './domain/forgetting.ts';
import { createKeptResults } from './domain/kept-results.ts';
import { createLabelDraws } from './domain/label-draws.ts';
import { createLooks } from './domain/look.ts';
import { createPlans } from './domain/plans.ts';
import { createRecordCosts } from './domain/record-cost.ts';
import { createReliability } from './domain/reliability.ts';
import { createRunSummaries } from './domain/run-summaries.ts';
import { createSummaries } from './domain/summary.ts';

export type Domain = ReturnType<typeof createDomain>;

/** The rules of summaries, comparisons, plans and reliability (contract section 3, Results and Judges). */
export function createDomain(dependencies: Dependencies) {
  const keptResults = createKeptResults(dependencies);
  const summaries = createSummaries({ ...dependencies, keptResults });
  const comparisons = createComparisons({ ...dependencies, keptResults });
  const plans = createPlans(dependencies);
  const reliability = createReliability(dependencies);
  const labelDraws = createLabelDraws(dependencies);
  const looks = createLooks(dependencies);
  const inTurn =
    <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) =>
    (...given: Given): Promise<Result> =>
      dependencies.inTurn(() => work(...given));
  return {
    summaries: { summary: summaries.summary },
    forgetting: createForgetting(dependencies),
    runSummaries: createRunSummaries({ ...dependencies, summaries }),
    comparisons: {
      compare: comparisons.compare,
      pairs: inTurn(comparisons.pairs),
      flips: inTurn(comparisons.flips),
      testcases: inTurn(comparisons.testcases),
    },
    plans: { plan: inTurn(plans.plan) },
    labelDraws: { draw: inTurn(labelDraws.draw), get: inTurn(labelDraws.get) },
    looks: { look: inTurn(looks.look) },
    recordCosts: createRecordCosts(dependencies),
    reliability: { get: inTurn(reliability.get) },
  };
}
