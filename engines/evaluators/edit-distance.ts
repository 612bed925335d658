import { createMatchRows } from './match-rows.ts';

/** The code points of a text. */
export function codePoints(text: string): Uint32Array {
  const points = new Uint32Array(text.length);
  let count = 0;
  for (let unit = 0; unit < text.length; count++) {
    const point = text.codePointAt(unit)!;
    points[count] = point;
    unit += point > 0xffff ? 2 : 1;
  }
  return points.subarray(0, count);
}

/** How many letters have to be put in, taken out or replaced to make one text of the other. */
export function textDistance(one: string, other: string): number {
  const [shorter, longer] = [codePoints(one), codePoints(other)].sort(
    (left, right) => left.length - right.length,
  );
  return editDistance({ shorter: shorter!, longer: longer! });
}

/**
 * How many insertions, deletions and replacements turn one sequence into the other, 32 rows of the
 * table at a time. Myers, A fast bit-vector algorithm for approximate string matching, JACM 46
 * (1999), in Hyyrö's form for the distance (2003): `rise` and `fall` are the bits where a column
 * goes up or down by one; `carry` goes from one word to the next.
 */
export function editDistance({
  shorter,
  longer,
}: {
  shorter: Uint32Array;
  longer: Uint32Array;
}): number {
  const words = Math.ceil(shorter.length / 32);
  if (words === 0) return longer.length;
  const rowOf = createMatchRows(shorter);
  const rises = new Int32Array(words).fill(-1);
  const falls = new Int32Array(words);
  const lastBit = (shorter.length - 1) & 31;
  let distance = shorter.length;
  for (let column = 0; column < longer.length; column++) {
    const row = rowOf(longer[column]!);
    let carry = 1;
    for (let word = 0; word < words; word++) {
      const rise = rises[word]!;
      const fall = falls[word]!;
      const matches = row[word]! | (carry >>> 31);
      const vertical = row[word]! | fall;
      const horizontal = (((matches & rise) + rise) ^ rise) | matches;
      let up = fall | ~(horizontal | rise);
      let down = rise & horizontal;
      const bit = word === words - 1 ? lastBit : 31;
      const next = ((up >>> bit) & 1) - ((down >>> bit) & 1);
      up = (up << 1) | (carry > 0 ? 1 : 0);
      down = (down << 1) | (carry >>> 31);
      rises[word] = down | ~(vertical | up);
      falls[word] = up & vertical;
      carry = next;
    }
    distance += carry;
  }
  return distance;
}
