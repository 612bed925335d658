import { catalog } from '@assay/contracts/catalog';
import type { Answers, Identity } from '@assay/contracts/define';
import { scoring } from '@assay/contracts/scoring';
import { type Streams, type Subscription, subscription } from '@assay/runtime/bus/streams';
import type { Domain } from './domain.ts';

/** Everything of a project goes, whether catalog asks for it or its event comes. */
async function forgetProject(
  { pairwiseComparisons, deletion }: Domain,
  identity: Identity,
  projectId: string,
): Promise<void> {
  await pairwiseComparisons.forgetProject(identity, projectId);
  await deletion.forgetProject(identity, projectId);
}

export const createAnswers = (domain: Domain): Answers<typeof scoring> => ({
  judge: async (_identity, { model }) => domain.judges.describe(model),
  waitingFor: async (_identity, { models }) => ({ data: await domain.judges.waitingFor(models) }),
  usage: (identity) => domain.dailyBudget.usage(identity),
  moveAuthor: (identity, move) => domain.projectPart.moveAuthor(identity, move),
  forgetProject: async (identity, { projectId }) => {
    await forgetProject(domain, identity, projectId);
    return {};
  },
});

export const createSubscriptions = (domain: Domain): Subscription[] => [
  subscription(catalog, 'projectDeleted', (identity, { projectId }) =>
    forgetProject(domain, identity, projectId),
  ),
];

/** Jobs for judges that one process holds at once; most of them wait for their turn. */
const judgeJobsMax = 256;

/**
 * Works on scoring jobs, `concurrency` at a time in this process; and on those of judges as far as
 * each model has room.
 */
export function workOnJobs({
  streams,
  domain,
  concurrency,
}: {
  streams: Streams;
  domain: Domain;
  concurrency: number;
}): void {
  const { recordScoring, pairJudging, giveUp } = domain;
  streams.workOn(scoring, 'scoreRecords', {
    concurrency,
    handle: (identity, job: { runId: string; recordIds: string[] }, { attempt }) =>
      recordScoring.score(identity, { ...job, attempt }),
    giveUp,
  });
  streams.workOn(scoring, 'judgeRecords', {
    concurrency: judgeJobsMax,
    handle: (
      identity,
      job: { runId: string; recordIds: string[]; model: string; retriedAt?: string },
      { attempt },
    ) => recordScoring.judge(identity, { ...job, attempt }),
    giveUp,
  });
  streams.workOn(scoring, 'judgePairs', {
    concurrency: judgeJobsMax,
    handle: (
      identity,
      job: { comparisonId: string; judgementIds: string[]; model: string; retriedAt?: string },
    ) => pairJudging.judge(identity, job),
    giveUp: pairJudging.giveUp,
  });
}
