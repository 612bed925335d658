import type { IdempotencyKey, Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { MetricVersion, MetricVersionOutline } from '@assay/contracts/metrics';
import { type Plan, plannedRepeatsMax, plannedTestcasesMax } from '@assay/contracts/results';
import type { RunOutline } from '@assay/contracts/run-records';
import { isNumeric, isSameScale, scaleOf, valueInWords } from '@assay/contracts/scale';
import { checkComparable, comparedMetric } from './comparison/sides.ts';
import type { Dependencies } from './dependencies.ts';
import { findScoreCost } from './plans/cost.ts';
import {
  type Goal,
  leastDifference,
  leastRepeats,
  leastTestcases,
  powerOf,
  type Spread,
} from './plans/design.ts';
import { checkBody, givenSpread, type PlanBody, percent } from './plans/figures.ts';
import { type PilotRuns, readPilot } from './plans/pilot.ts';
import { createRememberedAnswers } from './remembered-answers.ts';
import { systemMetricOf } from './system-metrics.ts';

/** How large a comparison has to be, before it is paid for (contract section 3, Results). */
export function createPlans({
  store,
  runRecords,
  ask,
}: Pick<Dependencies, 'store' | 'runRecords' | 'ask'>) {
  const onceOf = createRememberedAnswers({ store });

  async function findVersion(identity: Identity, metricId: string): Promise<MetricVersion> {
    const measured = systemMetricOf(metricId);
    if (measured) return { ...measured, guidelines: '', judge: null, builtin: null, code: null };
    const { versions } = await ask.metrics.currentVersions(identity, {
      projectId: null,
      metricIds: [metricId],
    });
    const { version } = versions[0]
      ? await ask.metrics.version(identity, { metricVersionId: versions[0].metricVersionId })
      : { version: null };
    if (!version) throw invalidAt('/metricId', 'does not belong to this organization');
    return version;
  }

  async function findPilots(
    identity: Identity,
    { metricId, pilotRunId, pilotBaselineRunId }: PlanBody,
    version: MetricVersion,
  ): Promise<PilotRuns | undefined> {
    if (pilotRunId === undefined) return undefined;
    const { runs } = await runRecords.readRuns(identity, {
      runIds: [pilotRunId, ...(pilotBaselineRunId === undefined ? [] : [pilotBaselineRunId])],
    });
    const pilotAt = (place: string, runId: string) => {
      const run = runs.find(({ id }) => id === runId);
      if (!run) throw invalidAt(place, 'does not belong to this organization');
      return { run, version: versionIn(run, version, place) };
    };
    const pilot = pilotAt('/pilotRunId', pilotRunId);
    if (pilotBaselineRunId === undefined) return { pilot, baseline: undefined };
    const baseline = pilotAt('/pilotBaselineRunId', pilotBaselineRunId);
    if (baseline.run.testsetId !== pilot.run.testsetId)
      throw invalidAt('/pilotBaselineRunId', "is a run of another testset than the pilot's");
    const compared = comparedMetric({ baseline: baseline.run, candidate: pilot.run }, metricId)!;
    checkComparable(compared, '/pilotBaselineRunId');
    return {
      pilot: { ...pilot, version: compared.candidate },
      baseline: { ...baseline, version: compared.baseline },
    };
  }

  /** The testcases of the testset at hand; undefined without one. */
  async function countTestcases(
    identity: Identity,
    { testsetId }: PlanBody,
    pilots: PilotRuns | undefined,
  ): Promise<number | undefined> {
    const run = pilots?.pilot.run;
    const wanted = testsetId ?? run?.testsetId ?? undefined;
    if (wanted === undefined) return undefined;
    const found = await ask.catalog.testset(identity, { testsetId: wanted });
    if (found.outcome !== 'found') {
      if (testsetId === undefined) return undefined;
      throw invalidAt('/testsetId', 'does not belong to this organization');
    }
    if (run && found.testset.projectId !== run.projectId)
      throw invalidAt('/testsetId', "is a testset of another project than the pilot's");
    return (await ask.testcases.count(identity, { testsetId: wanted })).count;
  }

  async function planOf(identity: Identity, body: PlanBody): Promise<Plan> {
    const version = await findVersion(identity, body.metricId);
    const { metricId, name, evalType, outputType, judge } = version;
    checkBody(body, version);
    const pilots = await findPilots(identity, body, version);
    const testcases = await countTestcases(identity, body, pilots);
    const { spread, assumptions } = pilots
      ? await readPilot(runRecords, identity, pilots, body)
      : givenSpread(body);
    const cost = await findScoreCost({ runRecords, ask }, identity, {
      evalType,
      judge,
      version,
      pilot: pilots && {
        runId: pilots.pilot.run.id,
        metricVersionId: pilots.pilot.version.metricVersionId,
      },
    });
    const { low, high } = scaleOf(version);
    const goal = { ...body, max: high - low };
    return {
      metricId,
      name,
      outputType,
      ...planned(spread, goal, cost.costUsd),
      votes: judge?.votes ?? null,
      withThisTestset:
        testcases === undefined
          ? null
          : withTestset({ spread, testcases, goal, scoreUsd: cost.costUsd, hasPilot: !!pilots }),
      assumptions: [
        ...assumptions,
        ...(isNumeric(outputType) ? [evenSpread] : []),
        aloneCompared,
        ...cost.assumptions,
      ],
    };
  }

  return {
    plan: (identity: Identity, body: PlanBody, key: IdempotencyKey | undefined) =>
      onceOf(identity, key, () => planOf(identity, body)),
  };
}

const evenSpread =
  'The differences are not very skewed: where a few large changes carry the mean, it takes more testcases.';
const aloneCompared =
  "The metric is compared alone: where several are, Holm's correction takes more testcases.";
const withoutSpread = 'All values of the pilot are equal, so it does not show how much they vary.';

/**
 * The newest version of the metric that the run has.
 * @throws VALIDATION_ERROR where it has none, or one of other values.
 */
function versionIn(
  { metrics }: RunOutline,
  metric: MetricVersion,
  place: string,
): MetricVersionOutline {
  const { metricId, outputType } = metric;
  const version =
    systemMetricOf(metricId) ?? metrics.findLast((each) => each.metricId === metricId);
  if (!version) throw invalidAt(place, 'is a run without this metric');
  if (version.outputType !== outputType)
    throw invalidAt(
      place,
      `has values of type ${version.outputType}, and the metric is now of type ${outputType}`,
    );
  if (!isSameScale({ ...version, lowerIsBetter: metric.lowerIsBetter }, metric))
    throw invalidAt(
      place,
      `has values on another scale (${valueInWords(version)}), and the metric's is now ${valueInWords(metric)}`,
    );
  return version;
}

type PlannedGoal = Goal & { max: number };

function planned(spread: Spread | null, goal: PlannedGoal, scoreUsd: number | null) {
  const testcases = spread && leastTestcases(spread, goal);
  const reason = spread
    ? `It would take more than ${plannedTestcasesMax.toLocaleString('en-US')} testcases.`
    : withoutSpread;
  return {
    testcases,
    repeats: 1,
    costUsd: testcases === null || scoreUsd === null ? null : testcases * scoreUsd,
    ...(testcases === null ? { reason } : {}),
  };
}

function withTestset({
  spread,
  testcases,
  goal,
  scoreUsd,
  hasPilot,
}: {
  spread: Spread | null;
  testcases: number;
  goal: PlannedGoal;
  scoreUsd: number | null;
  hasPilot: boolean;
}): NonNullable<Plan['withThisTestset']> {
  if (spread === null)
    return {
      testcases,
      detectableDifference: null,
      power: null,
      repeats: null,
      costUsd: null,
      reason: withoutSpread,
    };
  const repeats = testcases === 0 ? null : leastRepeats(spread, testcases, goal);
  return {
    testcases,
    detectableDifference: leastDifference(spread, testcases, goal),
    power: testcases === 0 ? 0 : powerOf(spread, { testcases, repeats: 1 }, goal),
    repeats,
    costUsd: repeats === null || scoreUsd === null ? null : testcases * repeats * scoreUsd,
    ...(repeats === null ? { reason: whyNoRepeats(spread, testcases, goal, hasPilot) } : {}),
  };
}

function whyNoRepeats(
  spread: Spread,
  testcases: number,
  goal: PlannedGoal,
  hasPilot: boolean,
): string {
  if (testcases === 0) return 'The testset has no testcases.';
  if (spread.within === null)
    return hasPilot
      ? 'The testset has too few testcases with one record each. The pilot has no repeats, so it does not show how far these would help.'
      : 'The testset has too few testcases with one record each. A pilot run with repeats would show how far these help.';
  const power = powerOf(spread, { testcases, repeats: plannedRepeatsMax }, goal);
  return `Even ${plannedRepeatsMax} records of each testcase find the difference in ${percent(power)} of comparisons only: it takes more testcases.`;
}
