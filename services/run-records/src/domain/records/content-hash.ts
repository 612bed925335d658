import { createHash } from 'node:crypto';
import type { JsonText } from '@assay/contracts/payload';

/** Characters of a hash: nobody gains by two contents that share one. */
const hashLength = 16;

/**
 * A hash of inputs and expected as they were sent. Where two records of a testcase have the same
 * one, the testcase did not change between them; where they differ, it may.
 */
export const contentHashOf = ({
  inputs,
  expected,
}: {
  inputs: JsonText;
  expected: JsonText;
}): string =>
  createHash('sha1')
    .update(inputs.source)
    .update('\0')
    .update(expected.source)
    .digest('base64url')
    .slice(0, hashLength);
