import { catalog } from '@assay/contracts/catalog';
import type { Answers } from '@assay/contracts/define';
import { runRecords } from '@assay/contracts/run-records';
import type { traces } from '@assay/contracts/traces';
import { type Subscription, subscription } from '@assay/runtime/bus/streams';
import type { Domain } from './domain.ts';

export const createAnswers = (domain: Domain): Answers<typeof traces> => ({
  mentions: (identity, wanted) => domain.annotations.mentions(identity, wanted),
  tracesOf: (identity, { linkId }) => domain.linkedTo(identity, linkId),
  names: (identity, wanted) => domain.monitors.names(identity, wanted),
  moveAuthor: (identity, move) => domain.monitorPart.moveAuthor(identity, move),
  forgetProject: (identity, { projectId }) => domain.forgetProject(identity, projectId),
  forgetTraces: (identity, owner) => domain.namedTraces.forgetTraces(identity, owner),
  usage: (identity) => domain.quota.usage(identity),
});

export const createSubscriptions = (domain: Domain): Subscription[] => [
  subscription(catalog, 'projectDeleted', async (identity, { projectId }) => {
    await domain.forgetProject(identity, projectId);
  }),
  subscription(runRecords, 'linkedRecordsCreated', (identity, { linkIds }) =>
    domain.recordLinks.add(identity, linkIds),
  ),
];
