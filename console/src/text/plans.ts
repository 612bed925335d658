import type { ReplyOf } from '@assay/client/operations';
import { countOf, formatCount, formatDollars, formatShare } from './format.ts';
import { writeSize } from './verdicts.ts';

export type Plan = ReplyOf<'POST', '/plans'>;

/** How often a planned comparison finds its difference, unless something else is wished. */
export const usualPower = 0.8;

const sizeOf = (plan: Pick<Plan, 'outputType'>, difference: number): string =>
  `${writeSize(plan, difference)}${plan.outputType === 'boolean' ? ' points' : ''}`;

/** The bill of a run; nothing where it has none, or none that is known. */
const billOf = (costUsd: number | null): string =>
  costUsd ? ` Its judge costs about ${formatDollars(costUsd)} a run.` : '';

/** The size that a plan asks for, or the reason why it has none. */
export function planSentence(plan: Plan, difference: number): string {
  if (plan.testcases === null) return plan.reason ?? '';
  return `To find a difference of ${sizeOf(plan, difference)} in ${formatShare(usualPower)} of comparisons, each run needs ${countOf(plan.testcases, 'testcase')} with a record each.${billOf(plan.costUsd)}`;
}

/** How much the testset at hand can see, and the repeats with which it is enough. */
export function testsetSentences(plan: Plan, difference: number): string[] {
  const { withThisTestset: own } = plan;
  if (!own || own.power === null) return [];
  const detected =
    own.detectableDifference === null
      ? ''
      : `, and a difference of ${sizeOf(plan, own.detectableDifference)} in ${formatShare(usualPower)}`;
  const seen = `Its testset has ${countOf(own.testcases, 'testcase')}: with a record each they find ${sizeOf(plan, difference)} in ${formatShare(own.power)} of comparisons${detected}.`;
  if (own.repeats === null) return [seen, own.reason ?? ''];
  return own.repeats === 1
    ? [seen]
    : [
        seen,
        `With ${formatCount(own.repeats)} records of each testcase they are enough.${billOf(own.costUsd)}`,
      ];
}

/** How large a comparison would settle a difference like the one that is seen. */
export const settlingSentence = (plan: Plan, difference: number, paired: number): string =>
  plan.testcases === null || plan.testcases <= paired
    ? ''
    : `A difference as large as this one, ${sizeOf(plan, difference)}, is found in ${formatShare(usualPower)} of comparisons of about ${countOf(plan.testcases, 'testcase')} with a record each; here are ${formatCount(paired)}.${billOf(plan.costUsd)}`;
