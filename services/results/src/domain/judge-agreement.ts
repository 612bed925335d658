import { isNumeric, passes, type StatedScale, scaleOf } from '@assay/contracts/scale';
import { cohensKappa, krippendorffsAlpha } from '@assay/statistics/agreement';
import { agreementInterval } from '@assay/statistics/agreement-interval';
import { bootstrapMean } from '@assay/statistics/bootstrap';
import { mean } from '@assay/statistics/describe';
import type { Interval } from '@assay/statistics/interval';
import { wilsonInterval } from '@assay/statistics/proportions';
import { gatherUnits } from '@assay/statistics/units';

/** The values of a judge and of people, those of one record at the same place; booleans as 0 and 1. */
export interface LabelledScores extends StatedScale {
  judge: Float64Array;
  people: Float64Array;
}

export type JudgeAgreement = ReturnType<typeof measureAgreement>;

const measures = {
  boolean: "Cohen's kappa",
  int: "Cohen's kappa, quadratic weights",
  float: "Krippendorff's alpha, interval",
} as const;

/**
 * How far a judge agrees with people, and on which side it errs (contract section 3, Judges). Pure,
 * and heavy for many records: it runs in a worker.
 */
export function measureAgreement(scores: LabelledScores) {
  const { outputType, judge, people } = scores;
  const { low, high } = scaleOf(scores);
  const isFloat = outputType === 'float';
  const equal = count(judge, (value, place) => value === people[place]);
  return {
    agreement: {
      measure: measures[outputType],
      value: isFloat
        ? krippendorffsAlpha(Array.from(judge, (value, place) => [value, people[place]!]))
        : cohensKappa({
            first: judge,
            second: people,
            weights: outputType === 'int' ? 'quadratic' : 'none',
          }),
      confidenceInterval: agreementInterval(
        { first: judge, second: people },
        { measure: isFloat ? 'alpha' : 'kappa', range: high - low },
      ),
      exact: judge.length === 0 ? null : equal / judge.length,
      exactConfidenceInterval: wilsonInterval({ successes: equal, trials: judge.length }),
    },
    errors: {
      labels: judge.length,
      ...(isNumeric(outputType) ? { sensitivity: null, specificity: null } : sidesOf(scores)),
      meanError: isNumeric(outputType) ? meanErrorOf(scores) : null,
    },
  };
}

/** The share of people's passes that the judge passes, and of their failures that it fails. */
function sidesOf({ judge, people, ...metric }: LabelledScores) {
  const good = Number(passes({ ...metric, passingThreshold: null }, true));
  const share = (kind: number) => {
    const labels = count(people, (value) => value === kind);
    const found = count(people, (value, place) => value === kind && judge[place] === kind);
    return {
      value: labels === 0 ? null : found / labels,
      labels,
      confidenceInterval: wilsonInterval({ successes: found, trials: labels }),
    };
  };
  return { sensitivity: share(good), specificity: share(1 - good) };
}

/** The mean of judge − people. */
function meanErrorOf({ judge, people, ...metric }: LabelledScores): {
  value: number | null;
  confidenceInterval: Interval | null;
} {
  const errors = judge.map((value, place) => value - people[place]!);
  const units = errors.length < 2 ? null : gatherUnits({ values: errors });
  const { low, high } = scaleOf(metric);
  return {
    value: mean(errors),
    confidenceInterval:
      units && bootstrapMean(units, { scale: { low: low - high, high: high - low } }).interval,
  };
}

function count(values: Float64Array, isCounted: (value: number, place: number) => boolean): number {
  let counted = 0;
  for (let place = 0; place < values.length; place++)
    if (isCounted(values[place]!, place)) counted++;
  return counted;
}
