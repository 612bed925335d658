/** The most notes in progress. A use beyond that is not noted: the next use may be. */
const underWayMax = 1000;

interface Dependencies {
  /** A use is noted at most this often. */
  everyMs: number;
  /** Writes down a use at an instant, unless one after `unlessAfter` is known. */
  note: (use: Use) => Promise<void>;
  failed: (error: unknown, id: string) => void;
  clock: () => Date;
}

/** The use of a key or a session, by its id. */
export interface Use {
  id: string;
  at: Date;
  unlessAfter: Date;
}

export type LastUse = ReturnType<typeof createLastUse>;

/** Notes when something was last used, beside the answers and never in their way. */
export function createLastUse({ everyMs, note, failed, clock }: Dependencies) {
  const underWay = new Map<string, Promise<void>>();

  return {
    /** Notes a use; `lastUsedAt` is the last one that is known already. Returns at once. */
    used(id: string, lastUsedAt: Date | null): void {
      const at = clock();
      const unlessAfter = new Date(at.getTime() - everyMs);
      if (lastUsedAt !== null && lastUsedAt > unlessAfter) return;
      if (underWay.has(id) || underWay.size >= underWayMax) return;
      const noting = note({ id, at, unlessAfter })
        .catch((error) => failed(error, id))
        .finally(() => underWay.delete(id));
      underWay.set(id, noting);
    },
    /** Waits for the notes under way. */
    async settle(): Promise<void> {
      await Promise.all(underWay.values());
    },
  };
}
