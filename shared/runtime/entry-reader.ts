import { payloadPlan } from '@assay/contracts/payload';
import type { z } from 'zod';
import { inlineBytesMax, parseBody, parseBodyAside } from './body.ts';
import { invalidFrom } from './request.ts';

/**
 * Reads an entry of a streamed body as a body of this schema is read.
 * @throws as a body does: MALFORMED_JSON, or VALIDATION_ERROR with every place.
 */
export function createEntryReader<Value>(schema: z.ZodType<Value>): (raw: Buffer) => Value | Promise<Value> {
  const plan = payloadPlan(schema);
  const check = (value: unknown): Value => {
    const result = schema.safeParse(value, { reportInput: true });
    if (!result.success) throw invalidFrom(result.error, '');
    return result.data;
  };
  // The worker takes the memory that it is given.
  return (raw) => (raw.length > inlineBytesMax ? parseBodyAside(Buffer.from(raw), plan).then(check) : check(parseBody(raw, plan)));
}
