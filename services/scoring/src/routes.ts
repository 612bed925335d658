import type { Handlers } from '@assay/contracts/define';
import type { scoring } from '@assay/contracts/scoring';
import type { Domain } from './domain.ts';

export const createRoutes = ({
  previews,
  metricChecks,
  judges,
  pairwiseComparisons,
  projectPart,
}: Domain): Handlers<typeof scoring> => ({
  previewMetric: ({ identity, params, body }) => previews.preview(identity, params.metricId, body),
  previewNewMetric: ({ identity, params, body }) =>
    previews.previewNew(identity, params.projectId, body),
  checkMetric: ({ identity, params, body }) => metricChecks.check(identity, params.projectId, body),
  listJudges: () => judges.list(),

  createPairwiseComparison: ({ identity, body }) => pairwiseComparisons.create(identity, body),
  estimatePairwiseComparison: ({ identity, body }) => pairwiseComparisons.estimate(identity, body),
  listPairwiseComparisons: ({ identity, params, query, page }) =>
    pairwiseComparisons.list(identity, params.projectId, { runId: query.runId, page }),
  getPairwiseComparison: ({ identity, params }) =>
    pairwiseComparisons.get(identity, params.pairwiseComparisonId),
  listPairJudgements: ({ identity, params, query, page }) =>
    pairwiseComparisons.judgements(identity, params.pairwiseComparisonId, { ...query, page }),
  retryPairwiseComparison: ({ identity, params, body }) =>
    pairwiseComparisons.retry(identity, params.pairwiseComparisonId, body),
  deletePairwiseComparison: ({ identity, params }) =>
    pairwiseComparisons.delete(identity, params.pairwiseComparisonId),

  exportScoringPart: ({ identity, body }) => projectPart.exportPart(identity, body),
  restoreScoringPart: ({ identity, query, stream }) =>
    projectPart.restorePart(identity, query.projectId, stream),
  revealScoringPart: ({ identity, body }) => projectPart.revealPart(identity, body.projectId),
});
