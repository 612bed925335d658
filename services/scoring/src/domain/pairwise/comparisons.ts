import type { Identity } from '@assay/contracts/define';
import { invalidAt, notFound } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import type {
  PairJudgement,
  PairOutcome,
  PairwiseBody,
  PairwiseComparison,
  PairwiseEstimate,
  PairwiseResults,
} from '@assay/contracts/scoring';
import type { StoredComparison, StoredJudgement } from '../../store/pairwise.ts';
import { nanoUsd } from '../allowance.ts';
import type { Dependencies } from '../dependencies.ts';
import type { KnownVersions } from '../known-versions.ts';
import type { StoredAnswer } from './answers.ts';
import { createEstimate } from './estimate.ts';
import { createPlanning, warningsOf } from './plan.ts';

type ComparisonDependencies = Pick<
  Dependencies,
  | 'store'
  | 'ask'
  | 'comparedRuns'
  | 'renderQuestion'
  | 'judges'
  | 'queuePairs'
  | 'describePairs'
  | 'inPlanTurn'
  | 'newId'
  | 'now'
> & { knownVersions: KnownVersions };

/** Pairwise comparisons of runs by a judge (ADR 42). */
export function createPairwiseComparisons(dependencies: ComparisonDependencies) {
  const { store, ask, queuePairs, describePairs, inPlanTurn, newId, now } = dependencies;
  const plan = createPlanning(dependencies);
  const estimate = createEstimate(dependencies);

  async function comparisonOf({ organizationId }: Identity, id: string): Promise<StoredComparison> {
    const comparison = await store.pairwise.find(organizationId, id);
    if (!comparison) throw notFound('pairwiseComparison', id);
    return comparison;
  }

  /** Computed once after the last judgement. */
  async function resultsOf(
    { organizationId }: Identity,
    { id, runIds, expected, judged, failed, round, results }: StoredComparison,
  ): Promise<PairwiseResults | null> {
    if (judged + failed < expected || judged === 0) return null;
    if (results) return results;
    const pairs = await store.pairwise.listAnswers(organizationId, id);
    const computed = await describePairs({
      runIds,
      pairs: pairs.map(({ testcaseId, runs, state, forward, backward }) => ({
        testcaseId,
        runs,
        answers:
          state === 'judged'
            ? { forward: forward!.preferred!, backward: backward!.preferred! }
            : null,
        // A judge that answered has a vote at least.
        isLostByError: forward?.votes.length === 0,
      })),
    });
    await store.pairwise.keepResults(organizationId, { id, round, results: computed });
    return computed;
  }

  return {
    async create(
      identity: Identity,
      { budgetUsd, ...body }: PairwiseBody,
    ): Promise<PairwiseComparison> {
      const id = newId();
      const { projectId, metric, testcases, runPairs, hasPrice } = await inPlanTurn(() =>
        plan(identity, body, id),
      );
      const pairs = runPairs.flatMap(([baseline, candidate]) =>
        testcases.map(({ testcaseId, recordIds }): StoredJudgement => {
          return {
            id: newId(),
            comparisonId: id,
            testcaseId,
            runs: [baseline, candidate],
            recordIds: [recordIds[baseline]!, recordIds[candidate]!],
            state: 'pending',
            outcome: null,
            forward: null,
            backward: null,
          };
        }),
      );
      const comparison: StoredComparison = {
        id,
        projectId,
        metricId: metric.metricId,
        metricVersionId: metric.metricVersionId,
        model: metric.judge!.evalModelName,
        hasPrice,
        runIds: body.runIds,
        testcases: testcases.length,
        differing: testcases.filter(({ differs }) => differs).length,
        createdAt: now(),
        createdByUserId: identity.userId,
        budgetNanoUsd: budgetUsd === undefined ? null : nanoUsd(budgetUsd),
        expected: pairs.length,
        judged: 0,
        failed: 0,
        spentNanoUsd: 0,
        round: 0,
        results: null,
      };
      // The runs were there a moment ago: their project is deleted now.
      if (!(await store.pairwise.create(identity.organizationId, comparison, pairs)))
        throw invalidAt('/runIds/0', 'does not belong to this organization');
      queuePairs(identity.organizationId, id);
      return { ...toListed(comparison), results: null };
    },

    estimate: (
      identity: Identity,
      body: Omit<PairwiseBody, 'budgetUsd'>,
    ): Promise<PairwiseEstimate> =>
      inPlanTurn(async () => estimate(identity, body.runIds, await plan(identity, body, newId()))),

    async list(
      identity: Identity,
      projectId: string,
      { runId, page }: { runId: string | undefined; page: PageRequest },
    ) {
      const { found } = await ask.catalog.project(identity, { projectId });
      if (!found) throw notFound('project', projectId);
      const { items, next } = await store.pairwise.list(identity.organizationId, projectId, {
        runId,
        page,
      });
      return { items: items.map(toListed), next };
    },

    async get(identity: Identity, id: string): Promise<PairwiseComparison> {
      const comparison = await comparisonOf(identity, id);
      return { ...toListed(comparison), results: await resultsOf(identity, comparison) };
    },

    async judgements(
      identity: Identity,
      id: string,
      {
        baselineRunId,
        candidateRunId,
        outcome,
        page,
      }: {
        baselineRunId?: string | undefined;
        candidateRunId?: string | undefined;
        outcome?: PairOutcome | undefined;
        page: PageRequest;
      },
    ): Promise<Page<PairJudgement>> {
      const { runIds } = await comparisonOf(identity, id);
      const placeOf = (name: string, runId: string | undefined) => {
        if (runId !== undefined && !runIds.includes(runId))
          throw invalidAt(`?${name}`, 'is not a run of this comparison');
        return runId === undefined ? undefined : runIds.indexOf(runId);
      };
      const { items, next } = await store.pairwise.listJudgements(identity.organizationId, id, {
        runs: [placeOf('baselineRunId', baselineRunId), placeOf('candidateRunId', candidateRunId)],
        outcome,
        page,
      });
      return { items: items.map((judgement) => toJudgement(runIds, judgement)), next };
    },

    async retry(
      { organizationId }: Identity,
      id: string,
      { budgetUsd }: { budgetUsd?: number | null | undefined } = {},
    ): Promise<{ queued: number }> {
      const budget = typeof budgetUsd === 'number' ? nanoUsd(budgetUsd) : budgetUsd;
      const queued = await store.pairwise.retry(organizationId, id, budget);
      if (queued === undefined) throw notFound('pairwiseComparison', id);
      if (queued > 0) queuePairs(organizationId, id, now());
      return { queued };
    },

    async delete({ organizationId }: Identity, id: string): Promise<{ success: true }> {
      const found = await store.pairwise.find(organizationId, id);
      if (!found || !(await store.pairwise.delete(organizationId, id)))
        throw notFound('pairwiseComparison', id);
      return { success: true };
    },

    forgetProject: ({ organizationId }: Identity, projectId: string): Promise<void> =>
      store.pairwise.forgetProject(organizationId, projectId),
  };
}

const usdOf = (nano: number): number => nano / 1e9;

function toListed(comparison: StoredComparison): Omit<PairwiseComparison, 'results'> {
  const { id, metricId, metricVersionId, runIds, testcases, createdByUserId } = comparison;
  const { expected, judged, failed, budgetNanoUsd } = comparison;
  return {
    id,
    metricId,
    metricVersionId,
    runIds,
    testcases,
    createdAt: comparison.createdAt.toISOString(),
    createdByUserId,
    account: { expected, judged, failed, pending: expected - judged - failed },
    costUsd: usdOf(comparison.spentNanoUsd),
    budgetUsd: budgetNanoUsd === null ? null : usdOf(budgetNanoUsd),
    ...warningsOf(comparison),
  };
}

function toJudgement(
  runIds: string[],
  { id, testcaseId, runs, recordIds, outcome, forward, backward }: StoredJudgement,
): PairJudgement {
  const [baselineRunId, candidateRunId] = runs.map((place) => runIds[place]!) as [string, string];
  const answers = [
    ...(forward ? [toAnswer(baselineRunId, candidateRunId, forward)] : []),
    ...(backward ? [toAnswer(candidateRunId, baselineRunId, backward)] : []),
  ];
  return {
    id,
    testcaseId,
    baselineRunId,
    candidateRunId,
    baselineRecordId: recordIds[0],
    candidateRecordId: recordIds[1],
    outcome,
    answers,
  };
}

function toAnswer(
  firstRunId: string,
  secondRunId: string,
  { preferred, reasoning, votes, nanoUsd: nano, failure }: StoredAnswer,
): PairJudgement['answers'][number] {
  const preferredRunId =
    preferred === 'first' ? firstRunId : preferred === 'second' ? secondRunId : null;
  return {
    firstRunId,
    preferred,
    preferredRunId,
    reasoning,
    ...(votes.length > 1 ? { votes } : {}),
    costUsd: usdOf(nano),
    ...(failure ? { failure } : {}),
  };
}
