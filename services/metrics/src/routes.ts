import type { Handlers } from '@assay/contracts/define';
import type { Evaluator, JudgeTemplate, metrics } from '@assay/contracts/metrics';
import type { Domain } from './domain.ts';
import type { Groups } from './groups.ts';

interface Dependencies {
  domain: Domain;
  groups: Groups;
  describeEvaluators: () => Evaluator[];
  describeJudgeTemplates: () => JudgeTemplate[];
}

export const createRoutes = ({
  domain,
  groups,
  describeEvaluators,
  describeJudgeTemplates,
}: Dependencies): Handlers<typeof metrics> => ({
  createMetric: ({ identity, params, body }) =>
    domain.createMetric(identity, params.projectId, body),
  adoptMetric: ({ identity, params, body }) => domain.adoptMetric(identity, params.projectId, body),
  listMetrics: ({ identity, params, page }) => domain.listMetrics(identity, params.projectId, page),
  getMetric: ({ identity, params }) => domain.getMetric(identity, params.metricId),
  updateMetric: ({ identity, params, body }) =>
    domain.updateMetric(identity, params.metricId, body),
  deleteMetric: ({ identity, params }) => domain.deleteMetric(identity, params.metricId),
  listMetricVersions: ({ identity, params, page }) =>
    domain.listVersions(identity, params.metricId, page),
  listEvaluators: async () => ({ data: describeEvaluators() }),
  listJudgeTemplates: async () => ({ data: describeJudgeTemplates() }),
  createMetricGroup: ({ identity, params, body }) =>
    groups.createGroup(identity, params.projectId, body),
  listMetricGroups: ({ identity, params, page }) =>
    groups.listGroups(identity, params.projectId, page),
  getMetricGroup: ({ identity, params }) => groups.getGroup(identity, params.metricGroupId),
  updateMetricGroup: ({ identity, params, body }) =>
    groups.updateGroup(identity, params.metricGroupId, body),
  deleteMetricGroup: ({ identity, params }) => groups.deleteGroup(identity, params.metricGroupId),

  exportMetricsPart: ({ identity, body }) => domain.metricPart.exportPart(identity, body),
  restoreMetricsPart: ({ identity, query, stream }) =>
    domain.metricPart.restorePart(identity, query.projectId, stream),
  revealMetricsPart: ({ identity, body }) => domain.metricPart.revealPart(identity, body.projectId),
});
