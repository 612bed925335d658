import type { Handlers } from '@assay/contracts/define';
import type { scoring } from '@assay/contracts/scoring';
import type { Domain } from './domain.ts';

export const createRoutes = ({
  previews,
  metricChecks,
  judges,
}: Domain): Handlers<typeof scoring> => ({
  previewMetric: ({ identity, params, body }) => previews.preview(identity, params.metricId, body),
  previewNewMetric: ({ identity, params, body }) =>
    previews.previewNew(identity, params.projectId, body),
  checkMetric: ({ identity, params, body }) => metricChecks.check(identity, params.projectId, body),
  listJudges: async () => judges.list(),
});
