import type { Reading } from './reading.ts';

export interface Grade {
  /** 1..5 */
  value: number;
  reasoning: string;
}

/**
 * How well a cook fares who trusts the reading: 5 is all right, 4 a wrong name, 3 a wrong unit, 2
 * an amount that is missing or a bit off, 1 twice as much or half.
 */
export function gradeReading({ expected, output }: { expected: Reading; output: Reading }): Grade {
  if (output.quantity !== expected.quantity) return gradeAmount(expected.quantity, output.quantity);
  if (output.unit !== expected.unit) {
    return {
      value: 3,
      reasoning: `The number is right, the unit is ${output.unit ?? 'missing'} in place of ${expected.unit ?? 'none'}.`,
    };
  }
  if (output.item !== expected.item) {
    return {
      value: 4,
      reasoning: `The amount is right, the name is "${output.item}" in place of "${expected.item}".`,
    };
  }
  return { value: 5, reasoning: 'Amount, unit and name are right.' };
}

function gradeAmount(expected: number | null, output: number | null): Grade {
  if (output === null)
    return { value: 2, reasoning: `The amount, ${expected}, is missing: the cook will notice.` };
  if (expected === null)
    return { value: 1, reasoning: `There is no amount, and it says ${output}.` };
  const ratio = Math.max(output, expected) / Math.min(output, expected);
  const isNear = ratio < 2;
  return {
    value: isNear ? 2 : 1,
    reasoning: `It says ${output} in place of ${expected}${isNear ? '' : ': the dish is spoilt'}.`,
  };
}
