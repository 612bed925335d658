/** Does at most `slotsMax` pieces of work at once; the others wait their turn, in the order in which they came. */
export function createSlots(slotsMax: number) {
  const waiting: (() => void)[] = [];
  let taken = 0;
  return async function inSlot<Result>(work: () => Promise<Result>): Promise<Result> {
    if (taken === slotsMax) await new Promise<void>((resolve) => waiting.push(resolve));
    else taken++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else taken--;
    }
  };
}
