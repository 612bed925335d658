import { createContext, type ReactNode } from 'react';
import type { Passage, Piece } from './passage.ts';

/** A passage that is drawn in its payload. */
export interface ShownPassage extends Passage {
  id: string;
}

/** The passages of a payload, for the texts that it is drawn as. */
export interface Passages {
  shown: ShownPassage[];
  /** The passage to show; another object each time that one is chosen, be it the same. */
  chosen: ShownPassage | undefined;
  /** Makes a link of a drawn passage, which leads to what is said of it. */
  linkOf: (passage: ShownPassage, children: ReactNode) => ReactNode;
  /** Keeps what an element draws as long as it does. Returns a function that forgets it. */
  know: (element: Element, piece: Piece) => () => void;
}

export const PassagesContext = createContext<Passages | undefined>(undefined);
