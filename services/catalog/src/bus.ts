import type { catalog } from '@assay/contracts/catalog';
import type { Answers } from '@assay/contracts/define';
import type { Domain } from './domain.ts';

export const createAnswers = (domain: Domain): Answers<typeof catalog> => ({
  project: (identity, { projectId }) => domain.isProject(identity, projectId),
  oldestProject: (identity) => domain.oldestProject(identity),
  testset: (identity, { testsetId, knownVersion }) =>
    domain.testsetDefinition(identity, testsetId, knownVersion),
  testsetFields: (identity, { projectId }) => domain.testsetFields(identity, projectId),
  runRetention: (identity, { projectId }) => domain.runRetention(identity, projectId),
  baseline: (identity, { testsetId }) => domain.baseline(identity, testsetId),
});
