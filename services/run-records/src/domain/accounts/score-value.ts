import type { OutputType } from '@assay/contracts/metrics';
import { valueFields, valueInWords, valueOf } from '@assay/evaluators/value';

interface ReadScore {
  /** The value that fits the output type, or null. */
  value: number | boolean | null;
  validationErrors: { path: string; message: string }[];
}

/**
 * Reads a score's value by its metric's output type. Reports members that do not fit, but never
 * refuses the score (contract section 2, Score).
 */
export function readScore(outputType: OutputType, score: Record<string, unknown>): ReadScore {
  const validationErrors = [];
  const field = [valueFields[outputType], 'value'].find((name) => Object.hasOwn(score, name));
  const value = field === undefined ? undefined : valueOf(outputType, score[field]);
  if (field === undefined)
    validationErrors.push({
      path: '/score',
      message: `"${valueFields[outputType]}" is missing: it should be ${valueInWords[outputType]}.`,
    });
  else if (value === undefined)
    validationErrors.push({
      path: `/score/${field}`,
      message: `"${field}" should be ${valueInWords[outputType]}, but it is ${told(score[field])}.`,
    });
  if (Object.hasOwn(score, 'reasoning') && typeof score.reasoning !== 'string') {
    validationErrors.push({
      path: '/score/reasoning',
      message: `"reasoning" should be a text, but it is ${told(score.reasoning)}.`,
    });
  }
  return { value: value ?? null, validationErrors };
}

function told(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean')
    return String(value);
  return Array.isArray(value) ? 'a list' : typeof value === 'string' ? 'a text' : 'an object';
}

/**
 * The score that the service makes of a value: the value under its own name and as `value`, and
 * why.
 */
export const madeScore = (
  outputType: OutputType,
  value: number | boolean,
  reasoning: string,
): string => JSON.stringify({ [valueFields[outputType]]: value, value, reasoning });
