/** A key's last use is noted at most this often. */
const everyMs = 60_000;

/** The most notes in progress. A use beyond that is not noted: the key's next use may be. */
const underWayMax = 1000;

interface Dependencies {
  /** Writes down that a key was used at an instant, unless a use after `unlessAfter` is known. */
  note: (use: { apiKeyId: string; at: Date; unlessAfter: Date }) => Promise<void>;
  failed: (error: unknown, apiKeyId: string) => void;
  clock: () => Date;
}

export type KeyUse = ReturnType<typeof createKeyUse>;

/** Notes when keys were last used, beside the answers and never in their way. */
export function createKeyUse({ note, failed, clock }: Dependencies) {
  const underWay = new Map<string, Promise<void>>();

  return {
    /**
     * Notes that a key was used; `lastUsedAt` is the last use that is known already. Returns at
     * once.
     */
    used(apiKeyId: string, lastUsedAt: Date | null): void {
      const at = clock();
      const unlessAfter = new Date(at.getTime() - everyMs);
      if (lastUsedAt !== null && lastUsedAt > unlessAfter) return;
      if (underWay.has(apiKeyId) || underWay.size >= underWayMax) return;
      const noting = note({ apiKeyId, at, unlessAfter })
        .catch((error) => failed(error, apiKeyId))
        .finally(() => underWay.delete(apiKeyId));
      underWay.set(apiKeyId, noting);
    },
    /** Waits for the notes under way. */
    async settle(): Promise<void> {
      await Promise.all(underWay.values());
    },
  };
}
