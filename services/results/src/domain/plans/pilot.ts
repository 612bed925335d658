import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { ErrorsCounting } from '@assay/contracts/results';
import type { RunOutline } from '@assay/contracts/run-records';
import { isNumeric, scaleOf } from '@assay/contracts/scale';
import { finalValue, ratingsOf } from '@assay/evaluators/ratings';
import type { Scale } from '@assay/statistics/bootstrap';
import { mean, standardDeviation } from '@assay/statistics/describe';
import { varianceComponents } from '@assay/statistics/repeats';
import type { Dependencies } from '../dependencies.ts';
import { type OpenRatings, openRatings } from '../rated-records.ts';
import type { Spread } from './design.ts';
import { type Evidence, percent } from './figures.ts';

/** A pilot run with the version of the metric that its values are of. */
export interface Pilot {
  run: RunOutline;
  version: MetricVersionOutline;
}

export interface PilotRuns {
  pilot: Pilot;
  baseline: Pilot | undefined;
}

/**
 * How the results of two versions at a testcase are assumed to correlate where only one version is
 * known: the middle of the 0.3 to 0.7 that are usual between models (Miller, Adding error bars to
 * evals, 2024).
 */
const assumedCorrelation = 0.5;

/** The values of the records of each testcase; a record without one counts for itself. */
type TestcaseValues = Map<string, number[]>;

/**
 * How much the values of a pilot vary, and the assumptions where they cannot show it.
 * @throws VALIDATION_ERROR where it has too few values, or where the difference is impossible.
 */
export async function readPilot(
  runRecords: Pick<Dependencies['runRecords'], 'streamRatings'>,
  identity: Identity,
  { pilot, baseline }: PilotRuns,
  { difference, errors }: { difference: number; errors: ErrorsCounting },
): Promise<Evidence> {
  const read = async ({ run, version }: Pilot) => {
    const { records } = await openRatings(runRecords, identity, {
      run,
      metrics: [version],
      errors,
    });
    return gatherTestcases(records, version, { withUnnamed: baseline === undefined });
  };
  const values = await read(pilot);
  const baselineValues = baseline && (await read(baseline));
  const { outputType } = pilot.version;
  const scale = scaleOf(pilot.version);
  const testcases = baselineValues
    ? [...values.keys()].filter((testcase) => baselineValues.has(testcase))
    : [...values.keys()];
  if (testcases.length < 2)
    throw invalidAt(
      '/pilotRunId',
      baselineValues
        ? 'has fewer than two testcases that both pilot runs have a score of this metric for'
        : 'has fewer than two testcases with a score of this metric',
    );
  const candidates = testcases.map((testcase) => values.get(testcase)!);
  const baselines = baselineValues && testcases.map((testcase) => baselineValues.get(testcase)!);
  checkPossible((baselines ?? candidates).map(meanOf), { difference, scale });
  const isBoolean = !isNumeric(outputType);
  return baselines
    ? evidenceOfPair({ baselines, candidates, isBoolean, difference })
    : evidenceOfOne({ values: candidates, isBoolean });
}

async function gatherTestcases(
  records: OpenRatings['records'],
  { metricVersionId, outputType }: MetricVersionOutline,
  { withUnnamed }: { withUnnamed: boolean },
): Promise<TestcaseValues> {
  const values: TestcaseValues = new Map();
  for await (const { id, testcaseId, awaited, ratings } of records) {
    if (testcaseId === null && !withUnnamed) continue;
    const value = finalValue(ratingsOf(ratings).get(metricVersionId) ?? [], {
      metricVersionId,
      outputType,
      awaited,
    });
    if (value === undefined) continue;
    const testcase = testcaseId ?? id;
    const known = values.get(testcase);
    if (known) known.push(Number(value));
    else values.set(testcase, [Number(value)]);
  }
  return values;
}

const meanOf = (values: number[]): number => mean(values)!;

/** @throws VALIDATION_ERROR where the pilot's mean is nearer than `difference` to both ends. */
function checkPossible(
  means: number[],
  { difference, scale: { low, high } }: { difference: number; scale: Scale },
): void {
  const most = Math.max(high - meanOf(means), meanOf(means) - low);
  if (difference > most + 1e-9)
    throw invalidAt(
      '/difference',
      `cannot be more than ${Number(most.toFixed(6))}: the pilot's mean is ${Number(meanOf(means).toFixed(6))}, on a scale from ${low} to ${high}`,
    );
}

/**
 * From one run: the variance of its values twice, less the part that two versions share. With
 * repeats, it is the testcases' true means that correlate, and each version adds its own repeats.
 */
function evidenceOfOne({
  values,
  isBoolean,
}: {
  values: number[][];
  isBoolean: boolean;
}): Evidence {
  const components = varianceComponents(values);
  const isKnown = components !== null && components.between !== null;
  const between = isKnown ? components.between! : standardDeviation(values.map(meanOf))!;
  const spread: Spread = {
    isBoolean,
    between: 2 * (1 - assumedCorrelation) * between ** 2,
    within: isKnown ? 2 * components.within ** 2 : null,
    changeRate: null,
  };
  const compared = isKnown ? 'true means' : 'values';
  return shownBy(spread, [
    `One run does not show how much changes from one version to another: the ${compared} of a testcase under both are assumed to correlate by ${assumedCorrelation}.`,
  ]);
}

/** From two runs of the same testcases: the variance of their differences. */
function evidenceOfPair({
  baselines,
  candidates,
  isBoolean,
  difference,
}: {
  baselines: number[][];
  candidates: number[][];
  isBoolean: boolean;
  difference: number;
}): Evidence {
  const differences = candidates.map((values, place) => meanOf(values) - meanOf(baselines[place]!));
  const variance = standardDeviation(differences)! ** 2;
  const sides = [baselines, candidates];
  const found = sides.map((side) => varianceComponents(side)?.within);
  const [first, second] = found.map((within) => within ?? found.find((other) => other != null));
  const pairs = `${differences.length.toLocaleString('en-US')} testcases of the two pilot runs`;
  if (first === undefined || second === undefined) {
    const changed = differences.filter((each) => each !== 0).length / differences.length;
    const spread = { isBoolean, between: variance, within: null };
    if (!isBoolean)
      return shownBy({ ...spread, changeRate: null }, [
        `The versions to compare differ as those of the ${pairs} do.`,
      ]);
    return shownBy({ ...spread, changeRate: Math.max(changed, difference) }, [
      `The results of ${percent(changed)} of the ${pairs} differ, and as many change again.`,
      ...(changed < difference
        ? [
            `A difference of ${percent(difference)} takes at least as many changes, so more are assumed.`,
          ]
        : []),
    ]);
  }
  const sampled = [first ** 2, second ** 2].map((within, side) => within * meanShare(sides[side]!));
  return shownBy(
    {
      isBoolean,
      between: Math.max(0, variance - sampled[0]! - sampled[1]!),
      within: first ** 2 + second ** 2,
      changeRate: null,
    },
    [`The versions to compare differ, and repeat themselves, as those of the ${pairs} do.`],
  );
}

/** The mean of 1 / records: the share of a record's variance that the means have, on average. */
const meanShare = (testcases: number[][]): number =>
  meanOf(testcases.map(({ length }) => 1 / length));

/** Numbers that never differ show nothing; where a boolean never does, a difference is a change. */
function shownBy(spread: Spread, assumptions: string[]): Evidence {
  const varies = spread.isBoolean || spread.between + (spread.within ?? 0) > 0;
  return { spread: varies ? spread : null, assumptions };
}
