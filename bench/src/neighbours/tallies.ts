/** The account of one kind of an attack's work. */
export interface Tally {
  kind: string;
  done: number;
  /** Rows that the answers showed. */
  rows: number;
  missed: number;
  /** The last answer that did not show the work. */
  lastMiss?: string;
}

export type Tallies = ReturnType<typeof createTallies>;

/** Counts the work that an attack is seen to do. */
export function createTallies() {
  const tallies = new Map<string, Tally>();
  function tallyOf(kind: string): Tally {
    const tally = tallies.get(kind) ?? { kind, done: 0, rows: 0, missed: 0 };
    tallies.set(kind, tally);
    return tally;
  }
  return {
    add(kind: string, rows: number): void {
      const tally = tallyOf(kind);
      tally.done += 1;
      tally.rows += rows;
    },
    miss(kind: string, why: string): void {
      const tally = tallyOf(kind);
      tally.missed += 1;
      tally.lastMiss = why;
    },
    clear: () => tallies.clear(),
    all: (): Tally[] => [...tallies.values()].map((tally) => ({ ...tally })),
  };
}

/** The kinds of work of which nothing was done yet, each with its last answer. */
export function undone(kinds: readonly string[], tallies: readonly Tally[]): string[] {
  return kinds.flatMap((kind) => {
    const tally = tallies.find((one) => one.kind === kind);
    if (tally !== undefined && tally.done > 0) return [];
    return [`${kind} (${tally?.lastMiss ?? 'not answered yet'})`];
  });
}

/** How much was done, of all kinds. */
export const doneOf = (tallies: readonly Tally[]): number =>
  tallies.reduce((sum, { done }) => sum + done, 0);

export const tallyText = (tallies: readonly Tally[]): string =>
  tallies
    .map(
      ({ kind, done, rows, missed, lastMiss }) =>
        `${kind}: ${done} done${rows > 0 ? ` with ${rows} rows` : ''}${missed > 0 ? `, ${missed} not (${lastMiss})` : ''}`,
    )
    .join('; ');
