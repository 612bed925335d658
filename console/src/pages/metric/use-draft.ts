import { useState } from 'react';
import type { Draft } from './draft.ts';

/** A draft as it is kept in the browser, with what it was begun from. */
interface Kept {
  draft: Draft;
  from: Draft;
}

/**
 * What is typed, until it is saved or discarded: it outlasts the page. `saved` is how the metric is
 * stored, or how a new one begins.
 */
export function useDraft(name: string, saved: Draft) {
  const key = `assay.draft.metric.${name}`;
  const [kept, setKept] = useState(() => readKept(key, saved));
  // Fields that hold a text of their own take it anew when this changes.
  const [generation, setGeneration] = useState(0);
  const draft = kept?.draft ?? saved;
  return {
    draft,
    generation,
    isChanged: kept !== undefined && !isEqual(kept.draft, saved),
    /** Somebody else has saved the metric since this draft was begun. */
    isOutdated: kept !== undefined && !isEqual(kept.from, saved),
    change: (part: Partial<Draft>) => {
      const next = { draft: { ...draft, ...part }, from: kept?.from ?? saved };
      setKept(next);
      write(key, JSON.stringify(next));
    },
    discard: () => {
      setKept(undefined);
      setGeneration(generation + 1);
      localStorage.removeItem(key);
    },
  };
}

const isEqual = (one: Draft, other: Draft): boolean =>
  JSON.stringify(one) === JSON.stringify(other);

function readKept(key: string, saved: Draft): Kept | undefined {
  try {
    const { draft, from } = JSON.parse(localStorage.getItem(key) ?? 'null');
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
