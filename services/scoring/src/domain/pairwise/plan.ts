import type { Identity } from '@assay/contracts/define';
import { Failure, type Issue, invalid, invalidAt } from '@assay/contracts/failure';
import type { MetricVersion } from '@assay/contracts/metrics';
import {
  type PairwiseBody,
  type PairwiseWarning,
  pairJudgementsMax,
} from '@assay/contracts/scoring';
import type { Dependencies } from '../dependencies.ts';
import type { KnownVersions } from '../known-versions.ts';
import { type CommonTestcase, commonTestcases, draw } from './common-testcases.ts';
import { pairsOfRuns } from './statistics.ts';

/** The extent of a comparison. */
export interface Plan {
  projectId: string;
  metric: MetricVersion;
  testcases: CommonTestcase[];
  runPairs: [number, number][];
  hasPrice: boolean;
}

/** Resolves the names of a request, and draws the testcases. */
export function createPlanning({
  ask,
  comparedRuns,
  judges,
  knownVersions,
}: Pick<Dependencies, 'ask' | 'comparedRuns' | 'judges'> & { knownVersions: KnownVersions }) {
  /** @throws VALIDATION_ERROR for runs that are not of one project and testset, or named twice. */
  async function checkRuns(identity: Identity, runIds: string[]): Promise<{ projectId: string }> {
    const { runs } = await comparedRuns.readRuns(identity, { runIds: [...new Set(runIds)] });
    const runById = new Map(runs.map((run) => [run.id, run]));
    const first = runById.get(runIds[0]!);
    const issues = runIds.flatMap((runId, index): Issue[] => {
      const message = faultOf(runById.get(runId), first, runIds.indexOf(runId) < index);
      return message === undefined ? [] : [{ path: `/runIds/${index}`, message }];
    });
    if (issues.length > 0) throw invalid(issues);
    return { projectId: first!.projectId };
  }

  async function metricOf(
    identity: Identity,
    projectId: string,
    metricId: string,
  ): Promise<MetricVersion> {
    const { versions } = await ask.metrics.currentVersions(identity, {
      projectId,
      metricIds: [metricId],
    });
    const [outline] = versions;
    if (!outline) throw invalidAt('/metricId', "does not belong to the runs' project");
    if (outline.subject !== 'pair')
      throw invalidAt('/metricId', 'must be a judge of pairs: an ai metric whose subject is pair');
    const known = await knownVersions(identity, [outline.metricVersionId]);
    const version = known.get(outline.metricVersionId);
    if (!version) throw new Failure('SERVICE_UNAVAILABLE', 'The metric was changed: try again.');
    return version;
  }

  return async (
    identity: Identity,
    { metricId, runIds, testcases: count }: Omit<PairwiseBody, 'budgetUsd'>,
    seed: string,
  ): Promise<Plan> => {
    const { projectId } = await checkRuns(identity, runIds);
    const metric = await metricOf(identity, projectId, metricId);
    const common = await commonTestcases(comparedRuns, identity, runIds);
    if (common.length === 0)
      throw invalidAt('/runIds', 'have no testcase of which all of them have a record');
    const drawn = Math.min(count ?? common.length, common.length);
    const runPairs = pairsOfRuns(runIds.length);
    const most = Math.floor(pairJudgementsMax / runPairs.length);
    if (drawn > most)
      throw invalidAt(
        '/testcases',
        `must be at most ${most} for ${runIds.length} runs, which have ${common.length} testcases in common: at most ${pairJudgementsMax} pairs are judged`,
      );
    const testcases = await draw(common, { count: drawn, seed });
    const { hasPrice } = judges.describe(metric.judge!.evalModelName);
    return { projectId, metric, testcases, runPairs, hasPrice };
  };
}

function faultOf(
  run: { projectId: string; testsetId: string | null } | undefined,
  first: { projectId: string; testsetId: string | null } | undefined,
  isRepeated: boolean,
): string | undefined {
  if (!run) return 'does not belong to this organization';
  if (isRepeated) return 'is listed already';
  if (!first || run.projectId === first.projectId)
    return first && run.testsetId !== first.testsetId
      ? "is a run of another testset than the first run's"
      : undefined;
  return "is a run of another project than the first run's";
}

/** Warns the readers of the results. */
export function warningsOf({
  testcases,
  differing,
  model,
  hasPrice,
}: {
  testcases: number;
  differing: number;
  model: string;
  hasPrice: boolean;
}): { warnings?: PairwiseWarning[] } {
  const warnings: PairwiseWarning[] = [];
  if (differing > 0)
    warnings.push({
      code: 'testcases_differ',
      message: `${differing} of ${testcases} testcases ${differing === 1 ? 'was' : 'were'} changed between the runs: of a pair, the judge is shown the inputs of the run that is named earlier.`,
      details: { testcases, differing },
    });
  if (!hasPrice)
    warnings.push({
      code: 'unknown_price',
      message: `The price of ${model} is not known, so the cost and the budget do not count it.`,
      details: {},
    });
  return warnings.length > 0 ? { warnings } : {};
}
