import { createHash } from 'node:crypto';
import { canonicalJson } from '@assay/json/canonical';

/**
 * The same for two JSON texts exactly when they are equal as JSON values, whatever the order of
 * their keys.
 */
export const hashOfJson = (text: string): string =>
  createHash('sha256').update(canonicalJson(text)).digest('base64url');
