/**
 * Steps of a comparison: one for 32 positions of the shorter sequence and each of the longer.
 * 100,000 against 100,000 are 312,500,000.
 */
const stepsMax = 320_000_000;

/**
 * Whether comparing two sequences of these lengths is bounded well enough: 1.4 s was measured at
 * the bound.
 */
export const isComparable = ({ first, second }: { first: number; second: number }): boolean =>
  Math.ceil(Math.min(first, second) / 32) * Math.max(first, second) <= stepsMax;

/**
 * Returns the two sequences, shorter first, without their common start and end; `shared` is the
 * length of these two together.
 */
export function trimShared({ first, second }: { first: Uint32Array; second: Uint32Array }) {
  const [shorter, longer] = first.length <= second.length ? [first, second] : [second, first];
  let start = 0;
  while (start < shorter.length && shorter[start] === longer[start]) start += 1;
  let end = 0;
  while (
    end < shorter.length - start &&
    shorter[shorter.length - 1 - end] === longer[longer.length - 1 - end]
  )
    end += 1;
  return {
    shorter: shorter.subarray(start, shorter.length - end),
    longer: longer.subarray(start, longer.length - end),
    shared: start + end,
  };
}

/**
 * For a symbol, the bits of the places where a sequence has it, 32 a word. Frequent symbols have a
 * row of their own; the others share one that is set and cleared, so that memory stays linear
 * however many symbols there are. A row holds until the next call.
 */
export function createMatchRows(sequence: Uint32Array): (symbol: number) => Int32Array {
  const words = Math.ceil(sequence.length / 32);
  const places = placesBySymbol(sequence);
  const rows = new Map<number, Int32Array>();
  for (const [symbol, found] of places)
    if (found.length > words) rows.set(symbol, mark(new Int32Array(words), found));
  const scratch = new Int32Array(words);
  let marked: readonly number[] = [];
  return (symbol) => {
    const row = rows.get(symbol);
    if (row) return row;
    for (const place of marked) scratch[place >>> 5] = 0;
    marked = places.get(symbol) ?? [];
    return mark(scratch, marked);
  };
}

function mark(row: Int32Array, places: readonly number[]): Int32Array {
  for (const place of places) row[place >>> 5]! |= 1 << (place & 31);
  return row;
}

function placesBySymbol(sequence: Uint32Array): Map<number, number[]> {
  const places = new Map<number, number[]>();
  for (let place = 0; place < sequence.length; place++) {
    const found = places.get(sequence[place]!);
    if (found) found.push(place);
    else places.set(sequence[place]!, [place]);
  }
  return places;
}
