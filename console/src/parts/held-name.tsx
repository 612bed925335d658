import type { ReactNode } from 'react';
import { useHeldDeletions } from '../api/held-deletions.ts';

/** The name of a thing in a list: struck through while its deletion can be undone. */
export function HeldName({ id, children }: { id: string; children: ReactNode }) {
  const isHeld = useHeldDeletions().some((held) => held.id === id);
  return isHeld ? <s title="It is being deleted.">{children}</s> : children;
}
