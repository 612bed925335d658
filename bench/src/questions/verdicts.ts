import { comparePairs, type MetricPairs } from '@assay/results/comparison/pairs';
import { decide } from '@assay/results/comparison/verdict';
import { criticalValue } from '@assay/statistics/interval';
import { normalCdf, normalQuantile } from '@assay/statistics/normal';
import { wilsonInterval } from '@assay/statistics/proportions';
import { createRandom, type Random } from '@assay/statistics/random';
import { millisecondsText, type Row, say } from '../report.ts';

const level = 0.95;
const power = 0.8;
const seed = 7;
const speedPairs = 100_000;
const speedReachMs = 2000;

type OutputType = MetricPairs['outputType'];
type Pairs = Pick<MetricPairs, 'baseline' | 'candidate' | 'groups'>;

/**
 * Converts a normal variable, the ability of a system at a testcase, to a score: a boolean, of
 * which 70 % pass; an int from 1 to 5; a float with a tail to 0.
 */
const scoreOf: Record<OutputType, (ability: number) => number> = {
  boolean: (ability) => Number(ability > -0.524),
  int: (ability) => 1 + [-1.2, -0.5, 0.2, 0.9].filter((threshold) => ability > threshold).length,
  float: (ability) => normalCdf(ability) ** 0.3,
};

const settings = [
  { pairs: 20, correlation: 0.3, repeats: { boolean: 2000, number: 400 } },
  { pairs: 20, correlation: 0.8, repeats: { boolean: 2000, number: 400 } },
  { pairs: 50, correlation: 0.5, repeats: { boolean: 2000, number: 200 } },
  { pairs: 200, correlation: 0.5, repeats: { boolean: 2000, number: 100 } },
];

/**
 * Verdicts and intervals of comparisons whose truth is known, and how long one of many pairs takes.
 * Computation alone, with a fixed seed.
 */
export async function askVerdicts(): Promise<Row[]> {
  const random = createRandom({ seed });
  const rows: Row[] = [];
  for (const outputType of ['boolean', 'int', 'float'] as const) {
    say(`  ${outputType} …`);
    for (const setting of settings) rows.push(...simulate(outputType, setting, random));
  }
  say('  families, groups, skewed differences …');
  rows.push(familyRow(random), ...groupRows(random), ...skewedRows(random));
  say(`  ${speedPairs.toLocaleString('en-US')} pairs …`);
  rows.push(...speedRows(random));
  return rows;
}

function simulate(
  outputType: OutputType,
  { pairs: count, correlation, repeats }: (typeof settings)[number],
  random: Random,
): Row[] {
  const repeatCount = outputType === 'boolean' ? repeats.boolean : repeats.number;
  const model = { outputType, count, correlation };
  const shift = detectableShift(model);
  const truth = meanScore(outputType, shift / 2) - meanScore(outputType, -shift / 2);
  const at = (shift: number, truth: number) =>
    observe(repeatCount, () => ({ outputType, truth, pairs: drawPairs(model, shift, random) }));
  const [same, different] = [at(0, 0), at(shift, truth)];
  const name = `${outputType}, ${count} pairs, correlation ${correlation}`;
  return [
    falseVerdicts(`${name}: verdicts without a difference`, same.verdicts, repeatCount),
    coverage('  intervals that hold the difference 0', same.covered, repeatCount),
    coverage(
      `  intervals that hold the difference ${truth.toFixed(2)}`,
      different.covered,
      repeatCount,
    ),
    {
      question: 'verdicts',
      measure: '  verdicts at this, the detectable difference',
      ours: shareText(different.verdicts, repeatCount),
      reach: '≈ 80 %',
      isReached: boundsOf(different.verdicts, repeatCount).high >= power,
    },
  ];
}

interface Case {
  outputType: OutputType;
  pairs: Pairs;
  truth: number;
}

function observe(repeats: number, draw: () => Case): { verdicts: number; covered: number } {
  let [verdicts, covered] = [0, 0];
  for (let repeat = 0; repeat < repeats; repeat++) {
    const { outputType, pairs, truth } = draw();
    const compared = comparePairs({ outputType, level, ...pairs });
    if (decide([compared], level)[0]!.verdict !== 'undecided') verdicts++;
    const { low, high } = compared.confidenceInterval!;
    if (low <= truth + 1e-12 && truth - 1e-12 <= high) covered++;
  }
  return { verdicts, covered };
}

interface Model {
  outputType: OutputType;
  count: number;
  /** Of the two runs' abilities at one testcase. */
  correlation: number;
}

/** The systems' abilities are `shift` apart, half of it each way. */
function drawPairs(
  { outputType, count, correlation }: Model,
  shift: number,
  random: Random,
): Pairs {
  const [baseline, candidate] = [new Float64Array(count), new Float64Array(count)];
  for (let pair = 0; pair < count; pair++) {
    const common = Math.sqrt(correlation) * normal(random);
    const ability = (offset: number) =>
      common + Math.sqrt(1 - correlation) * normal(random) + offset;
    baseline[pair] = scoreOf[outputType](ability(-shift / 2));
    candidate[pair] = scoreOf[outputType](ability(shift / 2));
  }
  return { baseline, candidate };
}

const normal = (random: Random): number => normalQuantile(random.uniform());

/**
 * The mean score of a system whose abilities have this mean, by the midpoint rule over their
 * quantiles.
 */
function meanScore(outputType: OutputType, ability: number): number {
  const steps = 20_000;
  let sum = 0;
  for (let step = 0; step < steps; step++)
    sum += scoreOf[outputType](normalQuantile((step + 0.5) / steps) + ability);
  return sum / steps;
}

/**
 * The shift whose difference this many pairs should find with the power that is promised, from the
 * spread of many pairs.
 */
function detectableShift(model: Model): number {
  let [low, high] = [0, 6];
  for (let step = 0; step < 16; step++) {
    const shift = (low + high) / 2;
    const { baseline, candidate } = drawPairs(
      { ...model, count: 20_000 },
      shift,
      createRandom({ seed }),
    );
    const differences = candidate.map((value, pair) => value - baseline[pair]!);
    const mean = differences.reduce((sum, value) => sum + value, 0) / differences.length;
    const deviation = Math.sqrt(
      differences.reduce((sum, value) => sum + (value - mean) ** 2, 0) / differences.length,
    );
    const detectable =
      ((criticalValue(level) + normalQuantile(power)) * deviation) / Math.sqrt(model.count);
    if (mean < detectable) low = shift;
    else high = shift;
  }
  return high;
}

/**
 * Three metrics that have nothing to do with each other: the case in which a correction is needed
 * most.
 */
function familyRow(random: Random): Row {
  const [repeats, count] = [800, 20];
  let families = 0;
  for (let repeat = 0; repeat < repeats; repeat++) {
    const metrics = (['boolean', 'int', 'float'] as const).map((outputType) =>
      comparePairs({
        outputType,
        level,
        ...drawPairs({ outputType, count, correlation: 0.5 }, 0, random),
      }),
    );
    if (decide(metrics, level).some(({ verdict }) => verdict !== 'undecided')) families++;
  }
  return falseVerdicts(
    'three metrics, 20 pairs: any verdict without a difference',
    families,
    repeats,
  );
}

/**
 * 100 pairs of 20 topics; at each topic the candidate is better or worse, and on the whole neither.
 */
function groupRows(random: Random): Row[] {
  const [repeats, count] = [300, 100];
  const model = { outputType: 'float', count: 5, correlation: 0.5 } as const;
  const groups = Int32Array.from({ length: count }, (_, pair) => Math.floor(pair / model.count));
  const draw = (grouped: boolean) => (): Case => {
    const topics = Array.from({ length: count / model.count }, () =>
      drawPairs(model, normal(random), random),
    );
    const pairs = {
      baseline: Float64Array.from(topics.flatMap(({ baseline }) => [...baseline])),
      candidate: Float64Array.from(topics.flatMap(({ candidate }) => [...candidate])),
    };
    return { outputType: 'float', truth: 0, pairs: grouped ? { ...pairs, groups } : pairs };
  };
  const grouped = observe(repeats, draw(true));
  const alone = observe(repeats, draw(false));
  return [
    falseVerdicts(
      'float, 20 topics of 5 pairs, with groupBy: verdicts without a difference',
      grouped.verdicts,
      repeats,
    ),
    coverage('  intervals that hold the difference 0', grouped.covered, repeats),
    {
      question: 'verdicts',
      measure: '  verdicts without groupBy',
      ours: shareText(alone.verdicts, repeats),
    },
  ];
}

/**
 * One pair in ten gains 0.9, the others lose 0.1: no mean difference, and far from the symmetry
 * that sign flips suppose.
 */
function skewedRows(random: Random): Row[] {
  return [
    { count: 20, repeats: 800 },
    { count: 200, repeats: 200 },
  ].flatMap(({ count, repeats }) => {
    const draw = (): Case => {
      const candidate = Float64Array.from({ length: count }, () =>
        random.uniform() < 0.1 ? 1 : 0,
      );
      return {
        outputType: 'float',
        truth: 0,
        pairs: { baseline: new Float64Array(count).fill(0.1), candidate },
      };
    };
    const { verdicts, covered } = observe(repeats, draw);
    return [
      falseVerdicts(
        `float, ${count} pairs, skewed differences: verdicts without a mean difference`,
        verdicts,
        repeats,
      ),
      coverage('  intervals that hold the difference 0', covered, repeats),
    ];
  });
}

function speedRows(random: Random): Row[] {
  const groups = Int32Array.from({ length: speedPairs }, (_, pair) => pair % 10_000);
  const cases = [
    ...(['boolean', 'int', 'float'] as const).map((outputType) => ({
      outputType,
      name: outputType,
      grouped: {},
    })),
    { outputType: 'boolean' as const, name: 'boolean, 10,000 groups', grouped: { groups } },
    { outputType: 'float' as const, name: 'float, 10,000 groups', grouped: { groups } },
  ];
  return cases.map(({ outputType, name, grouped }) => {
    const pairs = {
      ...drawPairs({ outputType, count: speedPairs, correlation: 0.5 }, 0, random),
      ...grouped,
    };
    const from = process.cpuUsage();
    comparePairs({ outputType, level, ...pairs });
    const { user, system } = process.cpuUsage(from);
    const ms = (user + system) / 1000;
    return {
      question: 'verdicts',
      measure: `${speedPairs.toLocaleString('en-US')} pairs, ${name}: processor time`,
      ours: millisecondsText(ms),
      reach: '< 2 s',
      isReached: ms < speedReachMs,
    };
  });
}

const falseVerdicts = (measure: string, count: number, of: number): Row => ({
  question: 'verdicts',
  measure,
  ours: shareText(count, of),
  reach: '≤ 5 %',
  isReached: boundsOf(count, of).low <= 1 - level,
});

const coverage = (measure: string, count: number, of: number): Row => ({
  question: 'verdicts',
  measure,
  ours: shareText(count, of),
  reach: '≥ 95 %',
  isReached: boundsOf(count, of).high >= level,
});

/** Where the true share is: a target counts as reached when it lies in here. */
const boundsOf = (count: number, of: number): { low: number; high: number } =>
  wilsonInterval({ successes: count, trials: of })!;

function shareText(count: number, of: number): string {
  const { low, high } = boundsOf(count, of);
  const [share, from, to] = [count / of, low, high].map((value) => (value * 100).toFixed(1));
  return `${share} % (${from}–${to})`;
}
