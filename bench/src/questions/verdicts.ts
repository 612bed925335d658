import { comparePairs, type MetricPairs } from '@assay/results/comparison/pairs';
import { decide } from '@assay/results/comparison/verdict';
import { createRandom, type Random } from '@assay/statistics/random';
import { millisecondsText, type Row, say } from '../report.ts';
import type { Setting } from '../setting.ts';
import { booleanRows, drawPassOrFail } from '../verdicts/booleans.ts';
import { calibratedRows } from '../verdicts/calibrated.ts';
import { drawRows } from '../verdicts/draws.ts';
import { errorRows } from '../verdicts/errors.ts';
import { groupRows } from '../verdicts/groups.ts';
import { numberRows } from '../verdicts/numbers.ts';
import { level, shareRow } from '../verdicts/observe.ts';
import { pairwiseRows } from '../verdicts/pairwise.ts';
import { planRows } from '../verdicts/plans.ts';
import { floatScore, intScore, normal } from '../verdicts/shapes.ts';
import { stoppingRows } from '../verdicts/stopping.ts';
import { summaryRows } from '../verdicts/summaries.ts';

const seed = 7;
const speedPairs = 100_000;
const speedReachMs = 2000;

/**
 * Verdicts and intervals of comparisons and summaries whose truth is known, and how long one of
 * many pairs takes. Computation alone, with a fixed seed.
 */
export async function askVerdicts({ drawsCount }: Setting): Promise<Row[]> {
  const random = createRandom({ seed });
  const parts = {
    booleans: () => booleanRows(drawsCount, random),
    numbers: () => numberRows(drawsCount, random),
    groups: () => groupRows(drawsCount, random),
    families: () => [familyRow(drawsCount, random)],
    summaries: () => summaryRows(drawsCount, random),
    // Each of its own, so that no part changes the lines of another.
    plans: () => planRows(drawsCount, createRandom({ seed })),
    draws: () => drawRows(drawsCount * 5, createRandom({ seed })),
    calibrated: () => calibratedRows(drawsCount * 5, createRandom({ seed })),
    stopping: () => stoppingRows(drawsCount, createRandom({ seed })),
    pairwise: () => pairwiseRows(drawsCount, createRandom({ seed })),
    errors: () => errorRows(drawsCount),
    [`${speedPairs.toLocaleString('en-US')} pairs`]: () => speedRows(random),
  };
  const rows: Row[] = [];
  for (const [name, rowsOf] of Object.entries(parts)) {
    say(`  ${name} …`);
    rows.push(...(await rowsOf()));
  }
  return rows;
}

/** Scores of two equally able systems, whose abilities at a testcase correlate by a half. */
function drawEqual(
  outputType: MetricPairs['outputType'],
  count: number,
  random: Random,
): Omit<MetricPairs, 'level'> {
  if (outputType === 'boolean')
    return drawPassOrFail({ count, changed: 0.3, difference: 0 }, random);
  const score = outputType === 'int' ? intScore : floatScore;
  const [baseline, candidate] = [new Float64Array(count), new Float64Array(count)];
  for (let pair = 0; pair < count; pair++) {
    const common = normal(random);
    baseline[pair] = score(Math.SQRT1_2 * (common + normal(random)));
    candidate[pair] = score(Math.SQRT1_2 * (common + normal(random)));
  }
  return { outputType, baseline, candidate };
}

const outputTypes = ['boolean', 'int', 'float'] as const;

/**
 * Three metrics that have nothing to do with each other: the case in which a correction is needed
 * most.
 */
function familyRow(draws: number, random: Random): Row {
  let families = 0;
  for (let repeat = 0; repeat < draws; repeat++) {
    const metrics = outputTypes.map((outputType) =>
      comparePairs({ level, ...drawEqual(outputType, 20, random) }),
    );
    if (decide(metrics, level).some(({ verdict }) => verdict !== 'undecided')) families++;
  }
  return shareRow('three metrics, 20 pairs: any verdict without a difference', [families, draws], {
    atMost: 0.06,
  });
}

function speedRows(random: Random): Row[] {
  const groups = Int32Array.from({ length: speedPairs }, (_, pair) => pair % 10_000);
  const cases = [
    ...outputTypes.map((outputType) => ({ outputType, name: outputType, grouped: {} })),
    { outputType: 'boolean' as const, name: 'boolean, 10,000 groups', grouped: { groups } },
    { outputType: 'float' as const, name: 'float, 10,000 groups', grouped: { groups } },
  ];
  return cases.map(({ outputType, name, grouped }) => {
    const pairs = { level, ...drawEqual(outputType, speedPairs, random), ...grouped };
    const from = process.cpuUsage();
    comparePairs(pairs);
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
