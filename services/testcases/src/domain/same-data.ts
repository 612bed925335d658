import { canonicalJson } from '@assay/json/canonical';

/**
 * Data up to this size is compared as JSON. Larger data is compared byte by byte, since to build it
 * would hold the event loop.
 */
const comparedBytesMax = 64 * 1024;

/** Says whether data that was sent is that of a stored testcase. */
export function isSameData(stored: Buffer, sent: Uint8Array): boolean {
  if (stored.equals(sent)) return true;
  if (Math.max(stored.length, sent.length) > comparedBytesMax) return false;
  return canonicalJson(stored.toString()) === canonicalJson(Buffer.from(sent).toString());
}
