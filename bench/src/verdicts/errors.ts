import type { MetricVersionOutline } from '@assay/contracts/metrics';
import type { Comparison } from '@assay/contracts/results';
import type { RatedRecord, RunOutline } from '@assay/contracts/run-records';
import { describePairs } from '@assay/results/comparison/pairs';
import { type ComparisonDependencies, createComparisons } from '@assay/results/comparisons';
import { normalQuantile } from '@assay/statistics/normal';
import { createRandom, type Random } from '@assay/statistics/random';
import type { Row } from '../report.ts';
import { level, shareRow } from './observe.ts';
import { floatScore, normal } from './shapes.ts';

const testcasesCount = 200;
const seed = 7;
/** The part of all testcases that each system passes, with errors as the worst. */
const passRate = 0.6;

type OutputType = 'boolean' | 'float';

/** How often the system of each run fails, and why. */
interface Setting {
  name: string;
  baseline: number;
  candidate: number;
  /** Failures strike where the answer would be bad, and not anywhere. */
  onHardTestcases?: true;
  /** A provider's limits are the reason. */
  areByLimit?: true;
  /** Better answers elsewhere make up for the failures of a system. */
  areMadeUpFor?: true;
  errors?: 'exclude';
  /** Errors differ, so their verdict is no false one. */
  errorsDiffer?: true;
  /** No comparison can promise this; it is shown beside the promises. */
  isNoPromise?: true;
  outputType?: OutputType;
}

/**
 * Two systems that are equally good by the metric, errors counted as each line says: any verdict of
 * the metric is a false one, and any of the errors where both fail equally often.
 */
const settings: Setting[] = [
  { name: 'both runs, 10 %', baseline: 0.1, candidate: 0.1 },
  { name: 'both runs, 10 %, float', baseline: 0.1, candidate: 0.1, outputType: 'float' },
  { name: 'both runs, 10 %, hard testcases', baseline: 0.1, candidate: 0.1, onHardTestcases: true },
  { name: 'both runs, 1 %', baseline: 0.01, candidate: 0.01 },
  {
    name: 'the candidate alone, 10 %, hard testcases',
    baseline: 0,
    candidate: 0.1,
    onHardTestcases: true,
    errorsDiffer: true,
  },
  {
    name: 'the candidate alone, 10 %, made up for',
    baseline: 0,
    candidate: 0.1,
    areMadeUpFor: true,
    errorsDiffer: true,
  },
  {
    name: 'more in the candidate, 5 and 15 %, made up for',
    baseline: 0.05,
    candidate: 0.15,
    areMadeUpFor: true,
    errorsDiffer: true,
  },
  {
    name: 'the candidate alone, 10 %, left out',
    baseline: 0,
    candidate: 0.1,
    errors: 'exclude',
    errorsDiffer: true,
  },
  {
    name: 'more in the candidate, 5 and 15 %, left out, float',
    baseline: 0.05,
    candidate: 0.15,
    errors: 'exclude',
    errorsDiffer: true,
    outputType: 'float',
  },
  {
    name: 'the candidate alone, 10 %, hard testcases, left out',
    baseline: 0,
    candidate: 0.1,
    onHardTestcases: true,
    errors: 'exclude',
    errorsDiffer: true,
    isNoPromise: true,
  },
  { name: 'limits in the candidate alone, 10 %', baseline: 0, candidate: 0.1, areByLimit: true },
];

/** Comparisons of runs in which systems failed: by the very operation that clients ask. */
export async function errorRows(draws: number): Promise<Row[]> {
  const rows: Row[] = [];
  for (const setting of settings) rows.push(...(await settingRows(setting, draws)));
  return rows;
}

async function settingRows(setting: Setting, draws: number): Promise<Row[]> {
  const random = createRandom({ seed });
  const seen = { ofMetric: 0, ofAny: 0, errorsWorse: 0 };
  for (let repeat = 0; repeat < draws; repeat++) {
    const { metrics, errors } = await compareDrawn(setting, random);
    const isDecided = metrics.some(({ verdict }) => verdict !== 'undecided');
    if (isDecided) seen.ofMetric++;
    if (isDecided || errors.verdict !== 'undecided') seen.ofAny++;
    if (errors.verdict === 'worse') seen.errorsWorse++;
  }
  const { name, errorsDiffer, isNoPromise } = setting;
  return [
    shareRow(
      `errors in ${name}: verdicts without a difference`,
      [errorsDiffer ? seen.ofMetric : seen.ofAny, draws],
      isNoPromise ? {} : { atMost: 0.06 },
    ),
    ...(errorsDiffer ? [shareRow('  errors found to be worse', [seen.errorsWorse, draws])] : []),
  ];
}

const identity = {
  organizationId: 'organization',
  userId: 'user',
  role: 'member' as const,
  apiKeyId: null,
  requestId: 'bench',
};

/** Draws a run of each system over the same testcases, and compares them. */
async function compareDrawn(setting: Setting, random: Random): Promise<Comparison> {
  const { outputType = 'boolean', errors = 'worst' } = setting;
  const metric = metricOf(outputType);
  const records = drawRecords(setting, metric, random);
  const runs = (['baseline', 'candidate'] as const).map((id) => runOf(id, metric, records[id]));
  const runRecords = {
    readRuns: async () => ({ runs }),
    streamRatings: async function* (_identity: unknown, { runId }: { runId: string }) {
      yield* records[runId as keyof typeof records];
    },
  };
  // Nothing else is asked where no testcase was edited, and both runs have one version of a metric.
  const dependencies = {
    runRecords,
    ask: {},
    inTurn: (work: () => unknown) => work(),
  } as unknown as ComparisonDependencies;
  const { compare } = createComparisons({
    // Every comparison is of other runs.
    keptResults: { of: (_identity, _asked, work) => work() },
    ...dependencies,
    compare: async (pairs) => describePairs(pairs),
  });
  return await compare(
    identity,
    {
      baselineRunId: 'baseline',
      candidateRunId: 'candidate',
      level,
      errors,
      repeats: 'mean',
      unknownScores: 'leave_out',
    },
    undefined,
  );
}

const metricOf = (outputType: OutputType): MetricVersionOutline => ({
  metricVersionId: 'version',
  metricId: 'metric',
  name: 'Correct',
  evalType: 'heuristic',
  outputType,
  passingThreshold: null,
  isScoredByService: true,
  evalModelName: null,
  annotators: 1,
});

const runOf = (
  id: string,
  metric: MetricVersionOutline,
  records: readonly RatedRecord[],
): RunOutline => ({
  id,
  projectId: 'project',
  testsetId: 'testset',
  metrics: [metric],
  changes: 0,
  errored: records.filter(({ error }) => error).length,
});

/** Answers whose quality at a testcase correlates by a half between the systems. */
function drawRecords(
  setting: Setting,
  metric: MetricVersionOutline,
  random: Random,
): Record<'baseline' | 'candidate', RatedRecord[]> {
  const records = { baseline: [] as RatedRecord[], candidate: [] as RatedRecord[] };
  for (let place = 0; place < testcasesCount; place++) {
    const common = normal(random);
    for (const side of ['baseline', 'candidate'] as const) {
      const chance = random.uniform();
      const ability = Math.SQRT1_2 * (common + normal(random));
      records[side].push(
        recordOf({ place, chance, ability, failures: setting[side], setting, metric }),
      );
    }
  }
  return records;
}

interface Drawn {
  place: number;
  /** Uniform; whether the system fails where it fails anywhere. */
  chance: number;
  /** Standard normal; how good the answer is. */
  ability: number;
  failures: number;
  setting: Setting;
  metric: MetricVersionOutline;
}

function recordOf({ place, chance, ability, failures, setting, metric }: Drawn): RatedRecord {
  const { metricVersionId, outputType } = metric;
  const answered = setting.areMadeUpFor ? 1 - failures : 1;
  const passes = ability >= normalQuantile(1 - passRate / answered);
  const isError = setting.onHardTestcases
    ? !passes && chance < failures / (1 - passRate)
    : chance < failures;
  const name = String(place);
  const record = { id: name, testcaseId: name, ratings: [], awaited: [], failed: [] };
  if (isError) {
    const isByLimit = setting.areByLimit === true;
    return { ...record, error: { name: 'Error', isByLimit, versions: [metricVersionId] } };
  }
  const value = outputType === 'boolean' ? passes : floatScore(ability);
  return {
    ...record,
    ratings: [{ metricVersionId, userId: 'service', source: 'heuristic', value }],
  };
}
