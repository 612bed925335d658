import type { JsonText } from '@assay/contracts/payload';
import { hashOfJson } from '@assay/runtime/json/hash';

/** A config and the hash that identifies it. */
export interface Config {
  bytes: Uint8Array;
  hash: string;
}

export const describeConfig = (config: JsonText): Config => ({
  bytes: config.bytes,
  hash: hashOfJson(config.toString()),
});
