import type { z } from 'zod';
import { bodyForm, parsePart } from '../http/body.ts';
import { invalidFrom } from '../http/request.ts';

/**
 * Reads an entry of a streamed body as a body of this schema is read; `depthMax` levels where it may
 * be nested deeper than a body.
 * @throws as a body does: MALFORMED_JSON, or VALIDATION_ERROR with every place.
 */
export function createEntryParser<Value>(
  schema: z.ZodType<Value>,
  depthMax?: number,
): (raw: Buffer) => Value | Promise<Value> {
  const form = bodyForm(schema, depthMax);
  const check = (value: unknown): Value => {
    const result = schema.safeParse(value, { reportInput: true });
    if (!result.success) throw invalidFrom(result.error, '');
    return result.data;
  };
  return (raw) => {
    const value = parsePart(raw, form);
    return value instanceof Promise ? value.then(check) : check(value);
  };
}
