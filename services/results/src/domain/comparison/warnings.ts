import type { ComparisonWarning } from '@assay/contracts/results';
import type { RunOutline } from '@assay/contracts/run-records';
import type { Calibration } from '../calibration.ts';
import { differentApplicability, isInapplicable } from './applicability.ts';
import { differingErrors } from './judge-errors.ts';
import { lookedWarning } from './looked-while-judging.ts';
import { leastFlipsPValue, type PairStatistics } from './pairs.ts';
import type { ComparedMetric, Sides } from './sides.ts';
import type { ValuesOfBoth } from './values.ts';

type TestedPairs = Pick<PairStatistics, 'paired' | 'numGroups' | 'guard'>;

/** The part of a comparison of one metric that its warnings depend on. */
interface ComparedPairs {
  metric: ComparedMetric;
  /** The fields in which its two versions score in other ways. */
  changes: string[];
  /** The runs whose judging followed looks. */
  looked?: readonly RunOutline[];
  gathered: ValuesOfBoth;
  statistics: TestedPairs;
  unpaired: number;
  /** Testcases to which the metric does not apply in one of the runs alone. */
  inapplicable: Record<keyof Sides, number>;
  recordsPerTestcase: Record<keyof Sides, number | null>;
  level: number;
  calibration?: Calibration | undefined;
}

/** The warnings for a reader of one metric's comparison; left out if there are none. */
export function warningsOf({
  metric,
  changes,
  looked = [],
  gathered,
  statistics,
  unpaired,
  inapplicable,
  recordsPerTestcase,
  level,
  calibration,
}: ComparedPairs): ComparisonWarning[] {
  return [
    ...lookedWarning(looked, statistics.paired),
    ...differentVersions(metric, changes),
    ...missingValues(gathered, metric, 'baseline'),
    ...missingValues(gathered, metric, 'candidate'),
    ...unpairedTestcases(unpaired),
    ...differentApplicability(inapplicable),
    ...differentRepeats(recordsPerTestcase),
    ...fewUnits(statistics, level),
    ...fewLargeChanges(statistics),
    ...differingErrors(metric, gathered, level),
    ...chosenLabels(calibration),
  ];
}

function differentVersions(
  { baseline, candidate }: ComparedMetric,
  changes: string[],
): ComparisonWarning[] {
  if (baseline.metricVersionId === candidate.metricVersionId) return [];
  const changed = changes.length > 0 ? ` (changed: ${changes.join(', ')})` : '';
  return [
    {
      code: 'metric_versions_differ',
      message: `The runs were scored with different versions of this metric${changed}, so a difference may be the metric's.`,
      details: {
        baselineMetricVersionId: baseline.metricVersionId,
        candidateMetricVersionId: candidate.metricVersionId,
        changes,
      },
    },
  ];
}

function missingValues(
  gathered: ValuesOfBoth,
  metric: ComparedMetric,
  side: keyof Sides,
): ComparisonWarning[] {
  const { places, columns } = gathered[side];
  const column = columns.get(metric[side].metricVersionId)!;
  const { valued, unnamed, notApplicable } = column;
  // That a metric does not apply is an answer of its own, and no score that is missing.
  const inapplicable = [...notApplicable].filter((place) => isInapplicable(column, place)).length;
  const unscored = places.size - valued - inapplicable;
  const warnings: ComparisonWarning[] = [];
  if (unscored > 0)
    warnings.push({
      code: 'unscored_testcases',
      message: `Without a score that counts: ${unscored} of ${places.size} testcases of the ${side} run.`,
      details: { run: side, testcases: places.size, unscored },
    });
  if (unnamed > 0)
    warnings.push({
      code: 'records_without_testcase',
      message: `Left out: ${counted(unnamed, 'score')} of the ${side} run, of records without a testcase.`,
      details: { run: side, scores: unnamed },
    });
  return warnings;
}

function unpairedTestcases(unpaired: number): ComparisonWarning[] {
  if (unpaired === 0) return [];
  const have = `${counted(unpaired, 'testcase')} ${unpaired === 1 ? 'has' : 'have'}`;
  return [
    {
      code: 'unpaired_testcases',
      message: `${have} a score in one of the runs only.`,
      details: { unpaired },
    },
  ];
}

function differentRepeats({
  baseline,
  candidate,
}: ComparedPairs['recordsPerTestcase']): ComparisonWarning[] {
  if (baseline === null || candidate === null || baseline === candidate) return [];
  const [ofBaseline, ofCandidate] = [baseline, candidate].map((mean) => Number(mean.toFixed(1)));
  return [
    {
      code: 'repeats_differ',
      message: `A testcase has ${ofBaseline} ${ofBaseline === 1 ? 'record' : 'records'} in the baseline run and ${ofCandidate} in the candidate run, on average: chance weighs less where there are more.`,
      details: { baseline, candidate },
    },
  ];
}

/**
 * Of units that cannot decide anything, even if all of them changed in one direction. McNemar's
 * mid-p value counts what was observed by half, so it is half of that of the flips.
 */
function fewUnits({ paired, numGroups, guard }: TestedPairs, level: number): ComparisonWarning[] {
  const isGuarded = guard !== null;
  const count = numGroups ?? paired;
  if (leastFlipsPValue(isGuarded ? count : count + 1) <= 1 - level) return [];
  const units = counted(count, numGroups === undefined ? 'pair' : 'group');
  return [
    {
      code: 'too_few_pairs',
      message: isGuarded
        ? `${units}: too few for a verdict at this level, and for an interval.`
        : `${units}: too few to decide anything at this level.`,
      details: { [numGroups === undefined ? 'pairs' : 'groups']: count, level },
    },
  ];
}

const fewLargeChanges = ({ guard }: TestedPairs): ComparisonWarning[] =>
  guard === 'held'
    ? [
        {
          code: 'few_large_changes',
          message: 'A few large changes carry the mean. They may be chance, so nothing is decided.',
          details: {},
        },
      ]
    : [];

/** Of labels that were not drawn, unless people scored all that the judge did. */
const chosenLabels = (calibration: Calibration | undefined): ComparisonWarning[] =>
  calibration?.figures && calibration.isPartial && !calibration.labelsWereDrawn
    ? [
        {
          code: 'labels_not_drawn',
          message: `People chose themselves which ${calibration.labels} testcases to score. The correction holds if these are like the others.`,
          details: { labels: calibration.labels },
        },
      ]
    : [];

const counted = (count: number, name: string): string =>
  `${count} ${name}${count === 1 ? '' : 's'}`;
