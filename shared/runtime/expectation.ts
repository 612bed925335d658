import { z } from 'zod';

/**
 * Returns the requirement that a variable does not meet, as the end of a sentence that begins with
 * its name. Repeats the value only if a number or a choice is expected: any other value may be a
 * secret.
 */
export function expectationOf(schema: z.ZodType, issue: z.core.$ZodIssue, value: string): string {
  if (issue.message.startsWith('must ')) return issue.message;
  const inner = innermost(schema);
  if (inner instanceof z.ZodNumber) return `must be ${rangeOf(inner)}, not "${value}"`;
  if (issue.code === 'invalid_value') return `must be ${choices(issue)}, not "${value}"`;
  if (issue.code === 'too_big') return `must have at most ${issue.maximum} characters`;
  return `is not as it should be: ${issue.message}`;
}

function innermost(schema: z.ZodType): z.ZodType {
  return schema instanceof z.ZodDefault || schema instanceof z.ZodOptional
    ? innermost(schema.unwrap() as z.ZodType)
    : schema;
}

function rangeOf({ isInt, minValue: min, maxValue: max }: z.ZodNumber): string {
  const kind = isInt ? 'a whole number' : 'a number';
  if (isBound(min) && isBound(max)) return `${kind} from ${min} to ${max}`;
  if (isBound(min)) return `${kind} of at least ${min}`;
  return isBound(max) ? `${kind} of at most ${max}` : kind;
}

/** A number without bounds of its own has those of its kind. */
const isBound = (bound: number | null): boolean =>
  bound !== null && Math.abs(bound) < Number.MAX_SAFE_INTEGER;

function choices({ values, ...issue }: { values: readonly unknown[] }): string {
  if ('expected' in issue && issue.expected === 'stringbool') return 'true or false';
  return [values.slice(0, -1).join(', '), values.at(-1)].filter((part) => part !== '').join(' or ');
}
