import type { LanguageModelV3GenerateResult } from '@ai-sdk/provider';
import type { AnySchemaObject, ValidateFunction } from 'ajv';

/** Characters of a refusal or an answer that are shown again. */
const shownMax = 300;

export type ParsedAnswer =
  | { ok: true; answer: unknown }
  | { ok: false; text: string; wrong: string };

export type ReadAnswer = ReturnType<typeof createReadAnswer>;

/**
 * Parses a judge's answer: returns the JSON value if it fits the schema, else the fault as a
 * sentence that the judge is told too.
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
    const parsed = parse(text);
    const isCut = result.finishReason.unified === 'length';
    if (parsed === undefined)
      return {
        ok: false,
        text,
        wrong: isCut ? 'It was cut off before its end: be shorter.' : notJson(text),
      };
    const fits = await validatorOf(schema);
    if (fits(parsed.value)) return { ok: true, answer: parsed.value };
    const [fault] = fits.errors!;
    return {
      ok: false,
      text,
      wrong: `It does not fit the schema: ${fault!.instancePath || 'the answer'} ${fault!.message}.`,
    };
  };
}

const notJson = (text: string): string =>
  text.trim() === '' ? 'It is empty.' : 'It is not one JSON object.';

/**
 * The whole text, or the one object in it: judges put prose or a code fence around their answer.
 */
function parse(text: string): { value: unknown } | undefined {
  for (const candidate of [text, text.slice(text.indexOf('{'), text.lastIndexOf('}') + 1)]) {
    try {
      return { value: JSON.parse(candidate) };
    } catch {}
  }
  return undefined;
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
