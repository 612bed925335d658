import { dollars, percent, whole } from '@assay/client/figures';
import { printable } from '@assay/client/printable';
import { type Column, table } from '@assay/client/table';
import { type Plan, sizeOf } from '@assay/comparison/plan';
import type { PlanReport } from '../plan.ts';
import { harmlessLine } from './harmless.ts';

const columns: Column[] = [
  { title: 'METRIC', align: 'left' },
  { title: 'DIFFERENCE', align: 'right' },
  { title: 'POWER', align: 'right' },
  { title: 'TESTCASES', align: 'right' },
  { title: 'VOTES', align: 'right' },
  { title: 'COST OF A RUN', align: 'right' },
];

/** The plan for people: a line of a table, and sentences. */
export function planTable({ question, plan, reason }: PlanReport): string {
  const lines = plan ? linesOf(plan, question) : [reason];
  return `${lines.map(harmlessLine).join('\n')}\n`;
}

function linesOf(plan: Plan, { difference, power }: PlanReport['question']): string[] {
  const { name, outputType, testcases, repeats, votes, costUsd, withThisTestset } = plan;
  const row = [
    printable(name),
    sizeOf(outputType, difference),
    percent(power),
    testcases === null ? '–' : `${whole(testcases)} × ${repeats}`,
    votes === null ? '–' : whole(votes),
    dollars(costUsd),
  ];
  return [
    ...table({ columns, rows: [row] }),
    '',
    planSentence(plan, difference, power),
    ...(withThisTestset ? testsetSentences(plan, withThisTestset, difference, power) : []),
    ...plan.assumptions.map((sentence) => `Assumed: ${sentence}`),
  ];
}

function planSentence(
  { outputType, testcases, costUsd, reason }: Plan,
  difference: number,
  power: number,
): string {
  if (testcases === null) return `There is no plan. ${reason}`;
  const found = `To find a difference of ${sizeOf(outputType, difference)} in ${percent(power)} of comparisons, each of the two runs needs ${whole(testcases)} testcases with a record each.`;
  return costUsd === null || costUsd === 0
    ? found
    : `${found} Its judge costs about ${dollars(costUsd)} a run.`;
}

function* testsetSentences(
  { outputType, costUsd: plannedUsd }: Plan,
  {
    testcases,
    detectableDifference,
    power: ownPower,
    repeats,
    costUsd,
    reason,
  }: NonNullable<Plan['withThisTestset']>,
  difference: number,
  power: number,
): Generator<string> {
  const detected =
    detectableDifference === null
      ? ''
      : `, and a difference of ${sizeOf(outputType, detectableDifference)} in ${percent(power)}`;
  if (ownPower !== null)
    yield `The testset has ${whole(testcases)} testcases: with a record each they find ${sizeOf(outputType, difference)} in ${percent(ownPower)} of comparisons${detected}.`;
  if (repeats !== null && repeats > 1)
    yield `With ${whole(repeats)} records of each they are enough${plannedUsd === 0 || costUsd === null ? '' : `, for about ${dollars(costUsd)} a run`}.`;
  if (repeats === 1) yield 'They are enough.';
  if (repeats === null && reason) yield reason;
}
