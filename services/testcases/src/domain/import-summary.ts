import type { ImportMode } from '@assay/contracts/testcases';
import type { EntryOutcome } from '../store.ts';

/** Testcases of each kind that a summary shows. */
const examplesMax = 10;

type Kind = Exclude<EntryOutcome, 'taken' | 'unchanged'>;

interface DeletedTestcase {
  id: string;
  key?: string;
}

/** Counts the changes that the entries of an import made, or would make. */
export function createImportSummary(mode: ImportMode) {
  const counts = { created: 0, updated: 0, unchanged: 0 };
  const examples: Record<Kind, { index: number; key?: string }[]> = { created: [], updated: [] };
  let refused = 0;
  let invalid = 0;
  let skipped = 0;
  return {
    addSkipped(): void {
      skipped += 1;
    },
    addRefused(): void {
      refused += 1;
    },
    add(
      outcome: keyof typeof counts,
      { index, key, isInvalid }: { index: number; key: string | undefined; isInvalid: boolean },
    ): void {
      counts[outcome] += 1;
      if (isInvalid) invalid += 1;
      if (outcome === 'unchanged' || examples[outcome].length === examplesMax) return;
      examples[outcome].push({ index, ...(key === undefined ? {} : { key }) });
    },
    /** The entries that were refused. */
    refused: () => refused,
    entries: () => refused + counts.created + counts.updated + counts.unchanged,
    line: ({ deleted, examples: gone }: { deleted: number; examples: DeletedTestcase[] }) => ({
      summary: {
        mode,
        ...counts,
        deleted,
        refused,
        invalid,
        skipped,
        examples: { ...examples, deleted: gone.slice(0, examplesMax) },
        ...(mode === 'sync' && refused > 0
          ? {
              warning: `Nothing is deleted, because ${refused.toLocaleString('en')} ${refused === 1 ? 'entry was' : 'entries were'} refused.`,
            }
          : {}),
      },
    }),
  };
}

export const deletedExamplesMax = examplesMax;
