import type { Handlers } from '@assay/contracts/define';
import type { scoring } from '@assay/contracts/scoring';
import type { Domain } from './domain.ts';

export const createRoutes = ({ previews, judges }: Domain): Handlers<typeof scoring> => ({
  previewMetric: ({ identity, params, body }) => previews.preview(identity, params.metricId, body),
  listJudges: async () => judges.list(),
});
