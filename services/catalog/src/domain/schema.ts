import { createHash } from 'node:crypto';
import type { JsonText } from '@assay/contracts/payload';

/** A testset's schema as it is kept: its text, and the hash that tells it from others. */
export function describeSchema(jsonSchema: JsonText) {
  const schemaText = jsonSchema.toString();
  return { schemaText, schemaHash: createHash('sha256').update(schemaText).digest('base64url') };
}
