import { isObject } from '@assay/json/value';
import type { Attributes, Span } from '@assay/otlp/span';
import { attributesToJson, unflattened } from './attributes.ts';
import { cutText } from './labels.ts';

/** How somebody scored a span, who sent the score with it. Data that JSON can have. */
export interface Evaluation {
  name: string;
  score: number | null;
  label: string | null;
  explanation: string | null;
}

const event = 'gen_ai.evaluation.result';
const evaluationsMax = 50;
const charactersMax = 512;

/**
 * Reads the scores of a span: events `gen_ai.evaluation.result` of OpenTelemetry's conventions, and
 * the annotations of OpenInference.
 */
export const evaluationsOf = ({ events, attributes }: Span): Evaluation[] =>
  [
    ...events.filter(({ name }) => name === event).map(({ attributes }) => membersOf(attributes)),
    ...annotationsIn(attributes),
  ]
    .flatMap((members) => evaluationOf(members) ?? [])
    .slice(0, evaluationsMax);

/** `gen_ai.evaluation.score.value` is the member `score.value`. */
const membersOf = (attributes: Attributes): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(attributesToJson(attributes)).map(([key, value]) => [
      key.replace(/^gen_ai\.evaluation\./, ''),
      value,
    ]),
  );

/** `annotations.0.annotation.score` is the member `score` of the first. */
function annotationsIn(attributes: Attributes): Record<string, unknown>[] {
  const found = unflattened(attributes, 'annotations')?.value;
  return Array.isArray(found)
    ? found.flatMap((each) =>
        isObject(each) && isObject(each.annotation) ? [each.annotation] : [],
      )
    : [];
}

function evaluationOf(members: Record<string, unknown>): Evaluation | undefined {
  const name = textOf(members.name);
  const value = members['score.value'] ?? members.score;
  const score = typeof value === 'number' ? value : null;
  const label = textOf(members['score.label'] ?? members.label);
  if (name === null || (score === null && label === null)) return undefined;
  return { name, score, label, explanation: textOf(members.explanation) };
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' && value !== '' ? cutText(value, charactersMax) : null;
