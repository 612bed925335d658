import type { LanguageModelV3GenerateResult } from '@ai-sdk/provider';
import type { AnySchemaObject, ValidateFunction } from 'ajv';
import { afterReasoning, type FoundObject, findObjects } from './answer-search.ts';

/** Characters of a refusal or an answer that are shown again. */
const shownMax = 300;

export type ParsedAnswer =
  | { ok: true; answer: unknown }
  | { ok: false; text: string; wrong: string };

export type ReadAnswer = ReturnType<typeof createReadAnswer>;

/**
 * Reads a judge's answer (ADR 65): the one object after its reasoning that fits the schema, else the
 * fault as a sentence that the judge is told too. Objects that fit and differ are no answer, nor is one
 * beside an object that says something unknown: a judge may quote the outputs that it judges.
 */
export function createReadAnswer() {
  const validators = new WeakMap<AnySchemaObject, Promise<ValidateFunction>>();

  function validatorOf(schema: AnySchemaObject): Promise<ValidateFunction> {
    const validator =
      validators.get(schema) ?? import('ajv').then(({ Ajv }) => new Ajv().compile(schema));
    validators.set(schema, validator);
    return validator;
  }

  return async (
    result: LanguageModelV3GenerateResult,
    schema: AnySchemaObject,
  ): Promise<ParsedAnswer> => {
    const text = result.content
      .flatMap((part) => (part.type === 'text' ? [part.text] : []))
      .join('');
    const refused = refusalIn(result);
    if (refused !== undefined)
      return {
        ok: false,
        text,
        wrong: `It was refused${refused && `: ${refused.slice(0, shownMax)}`}.`,
      };
    const objects = findObjects(text, Object.keys(schema.properties));
    const candidates = afterReasoning(text, objects);
    if (candidates === undefined) return { ok: false, text, wrong: endlessReasoning };
    const fits = await validatorOf(schema);
    const fitting = candidates.filter(
      ({ value, repeatedKey }) => repeatedKey === undefined && fits(value),
    );
    const [first] = fitting;
    if (!first) {
      const isCut = result.finishReason.unified === 'length';
      return { ok: false, text, wrong: misfit({ text, isCut, candidates, fits }) };
    }
    const isUnclear = candidates.some(
      ({ value, repeatedKey }) =>
        !value || (repeatedKey !== undefined && repeatedKey in schema.properties),
    );
    return !isUnclear && new Set(fitting.map(({ value }) => verdictOf(value!))).size === 1
      ? { ok: true, answer: first.value }
      : { ok: false, text, wrong: contradiction };
  };
}

const endlessReasoning = 'It is reasoning that never ends: answer after it.';
const contradiction =
  'It has several answers that differ: give one, and quote none that is not yours.';

/** An answer without its reasoning, which may differ where two answers agree. */
const verdictOf = ({ reasoning: _reasoning, ...verdict }: Record<string, unknown>): string =>
  JSON.stringify(Object.entries(verdict).sort());

/** Why no object of a text is an answer: the fault of the last one, as the judge is told it. */
function misfit({
  text,
  isCut,
  candidates,
  fits,
}: {
  text: string;
  isCut: boolean;
  candidates: FoundObject[];
  fits: ValidateFunction;
}): string {
  const last = candidates.at(-1);
  if (!last?.value) {
    if (isCut) return 'It was cut off before its end: be shorter.';
    return text.trim() === '' ? 'It is empty.' : 'It is not one JSON object.';
  }
  if (last.repeatedKey !== undefined)
    return `It has the key ${last.repeatedKey.slice(0, shownMax)} twice.`;
  fits(last.value);
  const [fault] = fits.errors!;
  return `It does not fit the schema: ${fault!.instancePath || 'the answer'} ${fault!.message}.`;
}

/**
 * Returns the reason of a judge's refusal: empty if it gave none, undefined if it did not refuse.
 * OpenAI sends the reason beside the text, and the library leaves it there.
 */
function refusalIn({ finishReason, response }: LanguageModelV3GenerateResult): string | undefined {
  const body = response?.body as { choices?: { message?: { refusal?: unknown } }[] } | undefined;
  const refusal = body?.choices?.[0]?.message?.refusal;
  if (typeof refusal === 'string' && refusal !== '') return refusal;
  return finishReason.unified === 'content-filter' ? '' : undefined;
}
