import { catalog } from '@assay/contracts/catalog';
import type { Answers } from '@assay/contracts/define';
import type { metrics } from '@assay/contracts/metrics';
import { type Subscription, subscription } from '@assay/runtime/bus/streams';
import type { Domain } from './domain.ts';

export const createAnswers = (domain: Domain): Answers<typeof metrics> => ({
  currentVersions: (identity, { projectId, metricIds }) =>
    domain.currentVersions(identity, projectId, metricIds),
  version: (identity, { metricVersionId }) => domain.version(identity, metricVersionId),
  metricOfGuidelines: (identity, { projectId, guidelines }) =>
    domain.metricOfGuidelines(identity, projectId, guidelines),
  changes: (identity, { from, to }) => domain.changes(identity, from, to),
  changedVersion: (identity, { metricId, change }) =>
    domain.changedVersion(identity, metricId, change),
  checkedVersion: (identity, payload) => domain.checkedVersion(identity, payload),
  moveAuthor: (identity, move) => domain.metricPart.moveAuthor(identity, move),
  names: (identity, wanted) => domain.names(identity, wanted),
  forgetProject: (identity, { projectId }) => domain.forgetProject(identity, projectId),
});

export const createSubscriptions = (domain: Domain): Subscription[] => [
  subscription(catalog, 'projectDeleted', async (identity, { projectId }) => {
    await domain.forgetProject(identity, projectId);
  }),
];
