interface Bucket {
  from: string;
}

interface Span {
  to: string;
  data: Bucket[];
}

/** The bucket at a share of the width of the chart, from 0 to 1. */
export const bucketAt = (share: number, buckets: number): number =>
  Math.max(0, Math.min(buckets - 1, Math.floor(share * buckets)));

/** The time of the buckets from one to another, whichever of the two comes first. */
export function timeOf(
  { data, to }: Span,
  [one, other]: [number, number],
): { from: string; to: string } {
  const [first, last] = one < other ? [one, other] : [other, one];
  return { from: data[first]!.from, to: data[last + 1]?.from ?? to };
}
