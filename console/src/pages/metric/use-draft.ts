import { parseByValue } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';
import { useState } from 'react';
import type { Draft } from './draft.ts';

/** A draft in the browser's storage, and the metric from which it was begun. */
interface StoredDraft {
  draft: Draft;
  from: Draft;
}

/**
 * Keeps a draft until it is saved or discarded: it outlasts the page. `saved` is the metric as it is
 * stored, or the beginning of a new one.
 */
export function useDraft(name: string, saved: Draft) {
  const key = `assay.draft.metric.${name}`;
  const [kept, setKept] = useState(() => readKept(key, saved));
  const [base, setBase] = useState({ saved, generation: 0 });
  if (!isEqual(base.saved, saved)) setBase({ saved, generation: base.generation + (kept ? 0 : 1) });
  const draft = kept?.draft ?? saved;
  return {
    draft,
    /** Changes when the draft is another one: fields that hold a text of their own begin anew. */
    generation: base.generation,
    isChanged: kept !== undefined && !isEqual(kept.draft, saved),
    /** Somebody else has saved the metric since this draft was begun. */
    isOutdated: kept !== undefined && !isEqual(kept.from, saved),
    change: (part: Partial<Draft>) => {
      const next = { draft: { ...draft, ...part }, from: kept?.from ?? saved };
      setKept(next);
      write(key, writeJson(next));
    },
    discard: () => {
      setKept(undefined);
      setBase({ saved, generation: base.generation + 1 });
      localStorage.removeItem(key);
    },
    /** Forgets the draft once it is saved. */
    forget: () => {
      setKept(undefined);
      localStorage.removeItem(key);
    },
  };
}

const isEqual = (one: Draft, other: Draft): boolean => writeJson(one) === writeJson(other);

function readKept(key: string, saved: Draft): StoredDraft | undefined {
  try {
    const { draft, from } = parseByValue(localStorage.getItem(key) ?? 'null') as StoredDraft;
    return { draft: { ...saved, ...draft }, from: { ...saved, ...from } };
  } catch {
    return undefined;
  }
}

/** A browser whose storage is full keeps the draft as long as the page is open. */
function write(key: string, text: string): void {
  try {
    localStorage.setItem(key, text);
  } catch {
    localStorage.removeItem(key);
  }
}
