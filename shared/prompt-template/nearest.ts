const lengthMax = 24;
const candidatesMax = 300;

/** The name that a mistyped one was probably meant to be: at most two letters away, one or none if it is short. */
export function nearest(name: string, known: Iterable<string>): string | undefined {
  if (name.length > lengthMax) return undefined;
  let close: string | undefined;
  let least = name.length > 5 ? 3 : name.length > 2 ? 2 : 1;
  let seen = 0;
  for (const candidate of known) {
    if (++seen > candidatesMax) break;
    if (Math.abs(candidate.length - name.length) >= least) continue;
    const away = distance(name.toLowerCase(), candidate.toLowerCase());
    if (away < least) [close, least] = [candidate, away];
  }
  return close;
}

/** Levenshtein's distance, row by row. */
function distance(a: string, b: string): number {
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next.push(Math.min(row[j]! + 1, next[j - 1]! + 1, row[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)));
    row = next;
  }
  return row[b.length]!;
}
