/**
 * The share of each load that tests use: `ASSAY_TEST_VOLUME`, more than 0 and at most 1. A quarter
 * shows nearly every bound; CI uses the whole.
 */
export const volumeShare = readShare(process.env.ASSAY_TEST_VOLUME);

/**
 * Returns the part of a whole load that this run of the tests uses: bytes, records, or rounds of a
 * property. It is never less than `least`, the smallest load at which the bound shows.
 */
export function volume(whole: number, least = 1): number {
  return Math.max(least, Math.ceil(whole * volumeShare));
}

function readShare(text = '0.25'): number {
  const share = Number(text);
  if (!(share > 0 && share <= 1))
    throw new Error(`ASSAY_TEST_VOLUME is "${text}": give a number above 0, at most 1.`);
  return share;
}
