import type { Handlers } from '@assay/contracts/define';
import { previewRequest } from '@assay/contracts/preview';
import type { results } from '@assay/contracts/results';
import type { Domain } from './domain.ts';

export const createRoutes = ({
  summaries,
  runSummaries,
  comparisons,
  plans,
  labelDraws,
  reliability,
}: Domain): Handlers<typeof results> => ({
  getRunSummary: ({ identity, params, query }) => summaries.summary(identity, params.runId, query),
  summarizeRuns: ({ identity, body, idempotencyKey }) =>
    runSummaries.several(identity, body, idempotencyKey),
  compareRuns: ({ identity, body, idempotencyKey }) =>
    comparisons.compare(identity, body, idempotencyKey),
  listPairs: ({ identity, query, page }) =>
    comparisons.pairs(identity, { ...query, previews: previewRequest(query), page }),
  listComparedTestcases: ({ identity, query, page }) =>
    comparisons.testcases(identity, { ...query, previews: previewRequest(query), page }),
  listFlips: ({ identity, query, page }) =>
    comparisons.flips(identity, { ...query, previews: previewRequest(query), page }),
  planComparison: ({ identity, body, idempotencyKey }) =>
    plans.plan(identity, body, idempotencyKey),
  drawLabels: ({ identity, body, idempotencyKey }) =>
    labelDraws.draw(identity, body, idempotencyKey),
  getLabelDraw: ({ identity, query }) => labelDraws.get(identity, query),
  getReliability: ({ identity, params, query }) =>
    reliability.get(identity, params.metricId, query),
});
