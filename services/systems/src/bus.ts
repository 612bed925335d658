import { catalog } from '@assay/contracts/catalog';
import type { Answers } from '@assay/contracts/define';
import type { systems } from '@assay/contracts/systems';
import { type Subscription, subscription } from '@assay/runtime/bus/streams';
import type { Domain } from './domain.ts';

export const createAnswers = (domain: Domain): Answers<typeof systems> => ({
  systemVersion: (identity, { systemVersionId }) => domain.findVersion(identity, systemVersionId),
  names: (identity, wanted) => domain.names(identity, wanted),
  forgetProject: (identity, { projectId }) => domain.forgetProject(identity, projectId),
});

export const createSubscriptions = (domain: Domain): Subscription[] => [
  subscription(catalog, 'projectDeleted', async (identity, { projectId }) => {
    await domain.forgetProject(identity, projectId);
  }),
];
