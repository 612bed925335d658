/**
 * Does at most `slotsMax` pieces of work at once; the others wait their turn, in the order in which they came. A piece may count as
 * several, up to all there are. What takes longer than `turnMaxMs` goes on, and the next begins beside it.
 */
export function createSlots(slotsMax: number, { turnMaxMs }: { turnMaxMs?: number } = {}) {
  const waiting: { slots: number; start: () => void }[] = [];
  let free = slotsMax;

  function startWaiting(): void {
    while (waiting.length > 0 && waiting[0]!.slots <= free) {
      const { slots, start } = waiting.shift()!;
      free -= slots;
      start();
    }
  }

  return async function inSlot<Result>(work: () => Promise<Result>, slots = 1): Promise<Result> {
    const taken = Math.min(slots, slotsMax);
    await new Promise<void>((start) => {
      waiting.push({ slots: taken, start });
      startWaiting();
    });
    let isTaken = true;
    const giveBack = () => {
      if (isTaken) free += taken;
      isTaken = false;
      startWaiting();
    };
    const timer = turnMaxMs === undefined ? undefined : setTimeout(giveBack, turnMaxMs);
    try {
      return await work();
    } finally {
      clearTimeout(timer);
      giveBack();
    }
  };
}
