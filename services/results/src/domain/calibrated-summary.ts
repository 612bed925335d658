import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import { type CalibratedSummary, type ErrorsCounting, labelsMin } from '@assay/contracts/results';
import type { RunOutline } from '@assay/contracts/run-records';
import { isSameScale, passes, type Scale, scaleOf, thresholdOf } from '@assay/contracts/scale';
import { type Calibration, calibrate, type JudgedTestcase } from './calibration.ts';
import type { Dependencies } from './dependencies.ts';
import { findProbabilities } from './drawn-labels.ts';
import { gatherJudged, type JudgedMetric } from './judged-testcases.ts';
import { differingScores, judgeOf, type Value } from './judged-values.ts';
import { openRatings } from './rated-records.ts';

const level = 0.95;
const shareScale = scaleOf({ outputType: 'boolean' });

/**
 * The means of a run's judges, corrected by people's scores, by metric version. `calibrateWith` is
 * `people` or the id of a human metric.
 * @throws VALIDATION_ERROR where it is not a human metric of the run, or no judge of the run has
 * its output type.
 */
export async function calibrateSummary(
  runRecords: Pick<Dependencies['runRecords'], 'streamLabelDraws' | 'streamRatings'>,
  identity: Identity,
  {
    run,
    calibrateWith,
    errors,
  }: { run: RunOutline; calibrateWith: string; errors: ErrorsCounting },
): Promise<Map<string, CalibratedSummary>> {
  const human = humanMetric(run, calibrateWith);
  const judges = run.metrics.filter(({ evalType }) => evalType === 'ai');
  const fitting = judges.filter((judge) => !human || isSameScale(human, judge));
  if (human && judges.length > 0 && fitting.length === 0)
    throw invalidAt(
      '?calibrateWith',
      `has ${differingScores(judges[0]!, human)!.human} scores, and those of the run's judges are not`,
    );
  if (judges.length === 0) return new Map();
  const metricOf = (judge: MetricVersionOutline, numberOf: JudgedMetric['numberOf']) => ({
    ...judgeOf(run, judge),
    human,
    numberOf,
  });
  const isPass = (judge: MetricVersionOutline) => (value: Value) =>
    Number(passes(judge, value) === true);
  const { records } = await openRatings(runRecords, identity, {
    run,
    metrics: fitting,
    errors,
    withVotes: true,
  });
  const gathered = await gatherJudged(
    records,
    fitting.flatMap((judge) => [metricOf(judge, Number), metricOf(judge, isPass(judge))]),
    'mean',
  );
  const calibrateOn = (
    testcases: JudgedTestcase[],
    scale: Scale,
    probabilities: ReadonlyMap<string, number> | undefined,
  ) => calibrate(testcases, { level, scale, errorMax: scale.high - scale.low, probabilities });
  const calibrated = new Map<string, CalibratedSummary>();
  for (const judge of judges) {
    const { metricId, metricVersionId } = judge;
    const place = 2 * fitting.indexOf(judge);
    if (place < 0) {
      calibrated.set(metricVersionId, uncalibrated(otherType(judge, human!)));
      continue;
    }
    const testcases = gathered[place]!;
    const probabilities =
      human &&
      (await findProbabilities(runRecords, identity, {
        runIds: [run.id],
        metricId,
        humanMetricId: human.metricId,
        testcases,
      }));
    const means = calibrateOn(testcases, scaleOf(judge), probabilities);
    const passes = calibrateOn(gathered[place + 1]!, shareScale, probabilities);
    const hasPasses = thresholdOf(judge) !== null;
    calibrated.set(metricVersionId, shown(means, hasPasses ? passes : undefined));
  }
  return calibrated;
}

function humanMetric(run: RunOutline, calibrateWith: string): MetricVersionOutline | undefined {
  if (calibrateWith === 'people') return undefined;
  const human = run.metrics.findLast(({ metricId }) => metricId === calibrateWith);
  if (human?.evalType !== 'human')
    throw invalidAt('?calibrateWith', 'is neither `people` nor a human metric of the run');
  return human;
}

function otherType(judge: MetricVersionOutline, human: MetricVersionOutline): string {
  const told = differingScores(judge, human)!;
  return `This judge has ${told.judge} scores, and "${human.name}" has ${told.human} ones.`;
}

const uncalibrated = (reason: string, labels = 0): CalibratedSummary => ({
  mean: null,
  passRate: null,
  confidenceInterval: null,
  labels,
  labelsWereDrawn: false,
  judgeBias: { mean: null, confidenceInterval: null },
  reason,
});

function shown({ labels, labelsWereDrawn, figures }: Calibration, passes: Calibration | undefined) {
  if (!figures)
    return uncalibrated(
      labels === 0
        ? 'People have not scored any testcase that the judge scored.'
        : `People scored ${labels} ${labels === 1 ? 'testcase' : 'testcases'}, and ${labelsMin} are needed.`,
      labels,
    );
  return {
    mean: figures.estimate,
    passRate: passes?.figures?.estimate ?? null,
    confidenceInterval: figures.interval,
    labels,
    labelsWereDrawn,
    judgeBias: { mean: figures.bias.estimate, confidenceInterval: figures.bias.interval },
  };
}
