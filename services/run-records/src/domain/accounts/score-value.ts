import type { OutputType } from '@assay/contracts/metrics';
import { type StatedScale, scoreValue, valueInWords } from '@assay/contracts/scale';
import { valueFields } from '@assay/evaluators/value';

interface ReadScore {
  /** The value that fits the output type, or null. */
  value: number | boolean | null;
  /** The score says that its metric does not apply: `{ "value": null }`. */
  isNotApplicable?: true;
  validationErrors: { path: string; message: string }[];
}

/**
 * Reads a score's value by its metric's output type and scale. Reports members that do not fit, but never
 * refuses the score (contract section 2, Score). A score with such a member has no value (section 5,
 * Accounts).
 */
export function readScore(metric: StatedScale, score: Record<string, unknown>): ReadScore {
  const { outputType } = metric;
  const validationErrors: ReadScore['validationErrors'] = [];
  const ofReasoning = reasoningErrors(score);
  const field = [valueFields[outputType], 'value'].find((name) => Object.hasOwn(score, name));
  if (field === 'value' && score.value === null)
    return ofReasoning.length > 0
      ? { value: null, validationErrors: ofReasoning }
      : { value: null, isNotApplicable: true, validationErrors };
  const value = field === undefined ? undefined : scoreValue(metric, score[field]);
  if (field === undefined)
    validationErrors.push({
      path: '/score',
      message: `"${valueFields[outputType]}" is missing: it should be ${valueInWords(metric)}.`,
    });
  else if (value === undefined)
    validationErrors.push({
      path: `/score/${field}`,
      message: `"${field}" should be ${valueInWords(metric)}, but it is ${told(score[field])}.`,
    });
  validationErrors.push(...ofReasoning);
  return { value: validationErrors.length > 0 ? null : (value ?? null), validationErrors };
}

/** Reasoning that is null says nothing, as if it were left out. */
function reasoningErrors({ reasoning }: Record<string, unknown>): ReadScore['validationErrors'] {
  if (reasoning === undefined || reasoning === null || typeof reasoning === 'string') return [];
  return [
    {
      path: '/score/reasoning',
      message: `"reasoning" should be a text, but it is ${told(reasoning)}.`,
    },
  ];
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

/** The score that the service makes where an evaluator says that its metric does not apply. */
export const notApplicableScore = (reasoning: string): string =>
  JSON.stringify({ value: null, reasoning });
