import { textDistance } from '@assay/evaluators/edit-distance';

const lengthMax = 24;
const candidatesMax = 300;

/**
 * The name that a mistyped one was probably meant to be: at most two letters away, one or none if
 * it is short.
 */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > lengthMax) return undefined;
  let close: string | undefined;
  let least = name.length > 5 ? 3 : name.length > 2 ? 2 : 1;
  let seen = 0;
  for (const candidate of known) {
    if (++seen > candidatesMax) break;
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const away = textDistance(name.toLowerCase(), candidate.toLowerCase());
    if (away < least) [close, least] = [candidate, away];
  }
  return close;
}
