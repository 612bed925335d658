import { catalog } from '@assay/contracts/catalog';
import type { Answers } from '@assay/contracts/define';
import type { runRecords } from '@assay/contracts/run-records';
import { testcases } from '@assay/contracts/testcases';
import type { Bus } from '@assay/runtime/bus/bus';
import { type Subscription, subscription } from '@assay/runtime/bus/streams';
import { subjectOf } from '@assay/runtime/bus/subjects';
import type { Domain } from './domain.ts';

export const createAnswers = ({
  runs,
  runList,
  quota,
  authors,
  deletion,
  budget,
}: Domain): Answers<typeof runRecords> => ({
  names: (identity, wanted) => runList.names(identity, wanted),
  run: (identity, { runId }) => runs.testsetOf(identity, runId),
  runsOfSpentBudgets: async (identity, { runIds }) => ({
    runIds: await budget.spentAmong(identity, runIds),
  }),
  moveAuthor: authors.moveAuthor,
  forgetProject: async (identity, { projectId }) => {
    await deletion.forgetProject(identity, projectId);
    return {};
  },
  usage: (identity) => quota.usage(identity),
});

export const createSubscriptions = ({ deletion }: Domain): Subscription[] => [
  subscription(catalog, 'projectDeleted', (identity, { projectId }) =>
    deletion.forgetProject(identity, projectId),
  ),
];

/** Every process hears of deleted testcases, since each remembers for itself which exist. */
export function forgetDeletedTestcases(bus: Bus, { knownTestcases }: Domain): void {
  const { prefix } = bus.options;
  bus.subscribeInEveryProcess(
    subjectOf(prefix, 'event', testcases.name, 'testcasesDeleted'),
    knownTestcases.forget,
  );
  bus.subscribeInEveryProcess(
    subjectOf(prefix, 'event', catalog.name, 'testsetDeleted'),
    knownTestcases.forget,
  );
  bus.onDisconnect(knownTestcases.forget);
}
