/** A score of one metric as a person typed it. */
export interface DraftScore {
  value: string;
  reason: string;
}

/** Scores that are not saved yet, by their metric versions. */
export type Draft = Readonly<Record<string, DraftScore>>;

export const emptyDraftScore: DraftScore = { value: '', reason: '' };

/** A draft that nobody came back to is forgotten after this time. */
const keptMs = 30 * 24 * 60 * 60 * 1000;

interface StoredDraft {
  at: number;
  draft: Draft;
}

/** A person's drafts, kept in this browser until they are saved. */
export function createDrafts(
  storage: Storage,
  { userId, now = Date.now }: { userId: string; now?: () => number },
) {
  const prefix = `assay.draft.${userId}.`;
  const read = (key: string): StoredDraft | undefined => {
    try {
      return JSON.parse(storage.getItem(key) ?? 'null') ?? undefined;
    } catch {
      return undefined;
    }
  };
  for (const key of Array.from({ length: storage.length }, (_, index) => storage.key(index)!))
    if (key.startsWith(prefix) && now() - (read(key)?.at ?? 0) > keptMs) storage.removeItem(key);
  return {
    get: (recordId: string): Draft | undefined => read(prefix + recordId)?.draft,
    put: (recordId: string, draft: Draft): void => {
      try {
        storage.setItem(prefix + recordId, JSON.stringify({ at: now(), draft }));
      } catch {
        // The storage is full: the draft lives as long as the page.
      }
    },
    remove: (recordId: string): void => storage.removeItem(prefix + recordId),
  };
}

export type Drafts = ReturnType<typeof createDrafts>;
