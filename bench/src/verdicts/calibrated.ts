import { calibrate, type JudgedTestcase } from '@assay/results/calibration';
import { comparePairs } from '@assay/results/comparison/pairs';
import { decide } from '@assay/results/comparison/verdict';
import type { Random } from '@assay/statistics/random';
import { type Row, say } from '../report.ts';
import { level, shareRow } from './observe.ts';
import { intScore, normal } from './shapes.ts';

const testcasesCount = 1000;
/** The judge alone is compared by flips and resamples, a fifth as often. */
const aloneFactor = 0.2;
/** A testcase in which the judge sees a change is drawn so many times as often as another one. */
const changesFactor = 3;

/** A testcase's values in two runs, by the judge and in truth. */
interface Truth {
  judged: [baseline: number, candidate: number];
  true: [baseline: number, candidate: number];
}

/** Two systems and a judge. */
interface World {
  name: string;
  outputType: 'boolean' | 'int';
  draw: (random: Random) => Truth;
  /** The true difference, 0 unless it is given. */
  difference?: number;
  /** Labels that are drawn. */
  labels: readonly number[];
  /** Labels so many as which 100 drawn for changes should be worth. */
  worthAtLeast?: number;
}

/** The share of passes, and of failures, that a judge sees as such. */
type Accuracy = [passes: number, failures: number];

/** The share of testcases in which the truth changes. */
const changedShare = 0.145;

/** The share of the others that pass. */
const passShare = 0.57;

/** Two systems that pass equally often. */
export const passOrFail =
  (baseline: Accuracy, candidate: Accuracy) =>
  (random: Random): Truth => {
    const chance = random.uniform();
    const isPass = random.uniform() < passShare;
    const truth: Truth['true'] =
      chance < changedShare / 2
        ? [0, 1]
        : chance < changedShare
          ? [1, 0]
          : [Number(isPass), Number(isPass)];
    const judge = (value: number, [passes, failures]: Accuracy): number =>
      random.uniform() < (value === 1 ? passes : failures) ? value : 1 - value;
    return { judged: [judge(truth[0], baseline), judge(truth[1], candidate)], true: truth };
  };

/** Equal scores from 1 to 5, and a judge that errs, and may be kinder to the candidate. */
const scored =
  (error: number, kindness: number) =>
  (random: Random): Truth => {
    const common = 0.8 * normal(random);
    const abilities = [common + 0.6 * normal(random), common + 0.6 * normal(random)] as const;
    const judge = (ability: number) => intScore(ability + error * normal(random));
    return {
      judged: [judge(abilities[0]), judge(abilities[1] + kindness)],
      true: [intScore(abilities[0]), intScore(abilities[1])],
    };
  };

/** The candidate fails where the baseline passed, and the judge sees nothing of it. */
const missedShare = 0.05;
function missed(random: Random): Truth {
  const truth = passOrFail([1, 1], [1, 1])(random);
  return random.uniform() < missedShare ? { judged: [1, 1], true: [1, 0] } : truth;
}

const worlds: World[] = [
  {
    name: 'a judge that is kinder to the candidate (95/90, 95/78)',
    outputType: 'boolean',
    draw: passOrFail([0.95, 0.9], [0.95, 0.78]),
    labels: [30, 50, 100],
    worthAtLeast: 140,
  },
  {
    name: 'a fair judge (95/90)',
    outputType: 'boolean',
    draw: passOrFail([0.95, 0.9], [0.95, 0.9]),
    labels: [30, 50, 100],
    worthAtLeast: 140,
  },
  {
    name: 'a mediocre judge (kappa 0.60)',
    outputType: 'boolean',
    draw: passOrFail([0.8, 0.8], [0.8, 0.8]),
    labels: [30, 50, 100],
  },
  {
    name: 'a judge that misses a loss of 5 points',
    outputType: 'boolean',
    draw: missed,
    difference: -missedShare,
    labels: [30, 50, 100],
  },
  {
    name: '1–5, a judge that is kinder to the candidate',
    outputType: 'int',
    draw: scored(0.5, 0.35),
    labels: [30, 50, 100],
  },
  {
    name: '1–5, a mediocre judge',
    outputType: 'int',
    draw: scored(1.1, 0),
    labels: [30, 50, 100],
  },
];

/** Verdicts about the truth, from a judge's scores of all testcases and people's of some. */
export function calibratedRows(draws: number, random: Random): Row[] {
  return worlds.flatMap((world) => {
    say(`    ${world.name} …`);
    return [
      ...(world.difference === undefined ? [aloneRow(world, draws, random)] : []),
      ...world.labels.flatMap((labels) =>
        ([1, changesFactor] as const).flatMap((factor) =>
          rowsOf({ world, labels, factor, draws }, random),
        ),
      ),
    ];
  });
}

const drawTestcases = (world: World, random: Random): Truth[] =>
  Array.from({ length: testcasesCount }, () => world.draw(random));

function aloneRow(world: World, draws: number, random: Random): Row {
  const count = Math.ceil(draws * aloneFactor);
  let verdicts = 0;
  for (let repeat = 0; repeat < count; repeat++) {
    const testcases = drawTestcases(world, random);
    const compared = comparePairs({
      outputType: world.outputType,
      level,
      baseline: Float64Array.from(testcases, ({ judged }) => judged[0]),
      candidate: Float64Array.from(testcases, ({ judged }) => judged[1]),
    });
    if (decide([compared], level)[0]!.verdict !== 'undecided') verdicts++;
  }
  return shareRow(`${world.name}, the judge alone, ${testcasesCount} pairs: false verdicts`, [
    verdicts,
    count,
  ]);
}

interface Setting {
  world: World;
  labels: number;
  factor: number;
  draws: number;
}

function rowsOf({ world, labels, factor, draws }: Setting, random: Random): Row[] {
  const truth = world.difference ?? 0;
  const range = world.outputType === 'boolean' ? 1 : 4;
  let [verdicts, covered, told, worth] = [0, 0, 0, 0];
  for (let repeat = 0; repeat < draws; repeat++) {
    const drawn = drawLabels(drawTestcases(world, random), { labels, factor }, random);
    const { figures } = calibrate(drawn.testcases, {
      level,
      scale: { low: -range, high: range },
      errorMax: range,
      probabilities: drawn.probabilities,
    });
    if (!figures) continue;
    const { low, high } = figures.interval;
    const [verdict] = decide([{ pValue: figures.pValue, difference: figures.estimate }], level);
    if (verdict!.verdict !== 'undecided') verdicts++;
    if (low <= truth && truth <= high) covered++;
    told++;
    worth += figures.labelsWorth;
  }
  const name = `${world.name}, ${labels} labels${factor === 1 ? '' : ` drawn ${factor}:1`}`;
  const isBarred = labels >= 100;
  const mean = worth / told;
  const worthBar = isBarred && factor > 1 ? world.worthAtLeast : undefined;
  return [
    ...(truth === 0
      ? [shareRow(`${name}: false verdicts`, [verdicts, told], { atMost: 0.06 })]
      : []),
    shareRow(
      truth === 0 ? '  intervals that hold the truth' : `${name}: intervals that hold the truth`,
      [covered, told],
      isBarred ? { atLeast: 0.94 } : {},
    ),
    {
      question: 'verdicts',
      measure: '  worth so many labels without a judge, on average',
      ours: mean.toFixed(0),
      ...(worthBar !== undefined && { reach: `≥ ${worthBar}`, isReached: mean >= worthBar }),
    },
  ];
}

/**
 * Labels `labels` testcases: an exact number of those in which the judge sees a change, `factor`
 * times as likely as the others, and of the others.
 */
function drawLabels(
  truths: Truth[],
  { labels, factor }: { labels: number; factor: number },
  random: Random,
): { testcases: JudgedTestcase[]; probabilities: Map<string, number> } {
  const testcases = truths.map(
    ({ judged }, place): JudgedTestcase => ({
      testcaseId: String(place),
      judged: judged[1] - judged[0],
      label: undefined,
    }),
  );
  const probabilities = new Map<string, number>();
  const strata = [true, false].map((isChanged) =>
    testcases.filter(({ judged }) => (judged !== 0) === isChanged),
  );
  const [changed, others] = strata as [JudgedTestcase[], JudgedTestcase[]];
  const share = labels / (factor * changed.length + others.length);
  const ofChanged =
    factor === 1
      ? undefined
      : Math.min(changed.length, Math.round(factor * share * changed.length));
  const parts: [JudgedTestcase[], number][] =
    ofChanged === undefined
      ? [[testcases.slice(), labels]]
      : [
          [changed, ofChanged],
          [others, labels - ofChanged],
        ];
  for (const [part, count] of parts)
    for (let rank = 0; rank < count; rank++) {
      const place = rank + Math.floor(random.uniform() * (part.length - rank));
      [part[rank], part[place]] = [part[place]!, part[rank]!];
      const testcase = part[rank]!;
      const { true: values } = truths[Number(testcase.testcaseId)]!;
      testcase.label = values[1] - values[0];
      probabilities.set(testcase.testcaseId, count / part.length);
    }
  return { testcases, probabilities };
}
