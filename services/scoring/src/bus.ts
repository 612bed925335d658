import { catalog } from '@assay/contracts/catalog';
import type { Answers, Identity } from '@assay/contracts/define';
import { scoring } from '@assay/contracts/scoring';
import {
  type Delivery,
  type Streams,
  type Subscription,
  subscription,
} from '@assay/runtime/bus/streams';
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
  modelPrice: async (_identity, named) => ({ price: domain.judges.priceOfSpan(named) }),
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

type JobHandler<Payload> = (
  identity: Identity,
  job: Payload,
  delivery: Delivery,
) => Promise<'done' | 'requeue'>;

/** Jobs for judges that one process holds at once; most of them wait for their turn. */
const judgeJobsMax = 256;

/**
 * Works on scoring jobs, `concurrency` at a time in this process; and on those of judges as far as
 * each model has room. Those of a suspended organization end: a job is a hint (ADR 5), and what it
 * is about waits for the sweep that follows when the organization is resumed.
 */
export function workOnJobs({
  streams,
  domain,
  isSuspended,
  concurrency,
}: {
  streams: Streams;
  domain: Domain;
  isSuspended: (organizationId: string) => boolean | Promise<boolean>;
  concurrency: number;
}): void {
  const { recordScoring, pairJudging, giveUp } = domain;
  const unlessSuspended =
    <Payload>(work: JobHandler<Payload>): JobHandler<Payload> =>
    async (identity, job, delivery) => {
      const { organizationId } = identity;
      if (await isSuspended(organizationId)) return 'done';
      try {
        return await work(identity, job, delivery);
      } catch (error) {
        // Suspended meanwhile: no failure of the job.
        if (await isSuspended(organizationId)) return 'done';
        throw error;
      }
    };
  streams.workOn(scoring, 'scoreRecords', {
    concurrency,
    handle: unlessSuspended((identity, job: { runId: string; recordIds: string[] }, { attempt }) =>
      recordScoring.score(identity, { ...job, attempt }),
    ),
    giveUp,
  });
  streams.workOn(scoring, 'judgeRecords', {
    concurrency: judgeJobsMax,
    handle: unlessSuspended(
      (
        identity,
        job: { runId: string; recordIds: string[]; model: string; retriedAt?: string },
        { attempt },
      ) => recordScoring.judge(identity, { ...job, attempt }),
    ),
    giveUp,
  });
  streams.workOn(scoring, 'judgePairs', {
    concurrency: judgeJobsMax,
    handle: unlessSuspended(
      (
        identity,
        job: { comparisonId: string; judgementIds: string[]; model: string; retriedAt?: string },
      ) => pairJudging.judge(identity, job),
    ),
    giveUp: pairJudging.giveUp,
  });
}
