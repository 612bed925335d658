/**
 * p-values corrected for how many there are, in the order given; null (nothing was tested) stays
 * null and does not count. Holm, A simple sequentially rejective multiple test procedure, Scand. J.
 * Statist. 6 (1979), as adjusted p-values.
 */
export function holmAdjust(pValues: readonly (number | null)[]): (number | null)[] {
  const adjusted: (number | null)[] = pValues.map(() => null);
  const tested = pValues
    .map((pValue, place) => ({ pValue, place }))
    .filter((entry): entry is { pValue: number; place: number } => entry.pValue !== null)
    .sort((a, b) => a.pValue - b.pValue);
  let floor = 0;
  tested.forEach(({ pValue, place }, rank) => {
    floor = Math.max(floor, Math.min(1, pValue * (tested.length - rank)));
    adjusted[place] = floor;
  });
  return adjusted;
}
