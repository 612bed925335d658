import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import { type CalibratedSummary, labelsMin } from '@assay/contracts/results';
import type { RunOutline } from '@assay/contracts/run-records';
import { type Calibration, calibrate, type JudgedTestcase } from './calibration.ts';
import type { Dependencies } from './dependencies.ts';
import { gatherJudged, type JudgedMetric } from './judged-testcases.ts';
import { judgeOf, type Value } from './judged-values.ts';
import { scaleOf } from './output-scales.ts';

const level = 0.95;

/**
 * The means of a run's judges, corrected by people's scores, by metric version. `calibrateWith` is
 * `people` or the id of a human metric.
 * @throws VALIDATION_ERROR where it is not a human metric of the run, or no judge of the run has
 * its output type.
 */
export async function calibrateSummary(
  { streamRatings }: Pick<Dependencies['runRecords'], 'streamRatings'>,
  identity: Identity,
  {
    run,
    calibrateWith,
    probabilities,
  }: {
    run: RunOutline;
    calibrateWith: string;
    probabilities?: ReadonlyMap<string, number> | undefined;
  },
): Promise<Map<string, CalibratedSummary>> {
  const human = humanMetric(run, calibrateWith);
  const judges = run.metrics.filter(({ evalType }) => evalType === 'ai');
  const fitting = judges.filter(({ outputType }) => !human || human.outputType === outputType);
  if (human && judges.length > 0 && fitting.length === 0)
    throw invalidAt(
      '?calibrateWith',
      `has ${human.outputType} scores, and those of the run's judges are not`,
    );
  if (judges.length === 0) return new Map();
  const metricOf = (judge: MetricVersionOutline, numberOf: JudgedMetric['numberOf']) => ({
    ...judgeOf(run, judge),
    human,
    numberOf,
  });
  const isPass = (judge: MetricVersionOutline) => (value: Value) =>
    Number(Number(value) >= (judge.passingThreshold ?? 1));
  const gathered = await gatherJudged(
    streamRatings(identity, { runId: run.id, withVotes: true }),
    fitting.flatMap((judge) => [metricOf(judge, Number), metricOf(judge, isPass(judge))]),
    'mean',
  );
  const calibrateOn = (testcases: JudgedTestcase[], outputType: 'boolean' | 'int' | 'float') => {
    const scale = scaleOf[outputType];
    return calibrate(testcases, { level, scale, errorMax: scale.high - scale.low, probabilities });
  };
  return new Map(
    judges.map((judge) => {
      const place = 2 * fitting.indexOf(judge);
      if (place < 0) return [judge.metricVersionId, uncalibrated(otherType(judge, human!))];
      const means = calibrateOn(gathered[place]!, judge.outputType);
      const passes = calibrateOn(gathered[place + 1]!, 'boolean');
      const hasPasses = judge.outputType === 'boolean' || judge.passingThreshold !== null;
      return [judge.metricVersionId, shown(means, hasPasses ? passes : undefined)];
    }),
  );
}

function humanMetric(run: RunOutline, calibrateWith: string): MetricVersionOutline | undefined {
  if (calibrateWith === 'people') return undefined;
  const human = run.metrics.findLast(({ metricId }) => metricId === calibrateWith);
  if (human?.evalType !== 'human')
    throw invalidAt('?calibrateWith', 'is neither `people` nor a human metric of the run');
  return human;
}

const otherType = (judge: MetricVersionOutline, human: MetricVersionOutline): string =>
  `This judge has ${judge.outputType} scores, and "${human.name}" has ${human.outputType} ones.`;

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
