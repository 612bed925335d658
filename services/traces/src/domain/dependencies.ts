import type { catalog } from '@assay/contracts/catalog';
import type { Asks } from '@assay/contracts/define';
import type { scoring } from '@assay/contracts/scoring';
import type { Store } from '../store.ts';
import type { SpanReader } from './reading-task.ts';

/** The outside, as the rules of traces need it. */
export interface Dependencies {
  store: Store;
  ask: { catalog: Asks<typeof catalog>; scoring: Asks<typeof scoring> };
  /** Reads spans, aside where that is long. */
  read: SpanReader;
  newId: () => string;
  now: () => Date;
  /** How long traces are kept, in ms. */
  retentionMs: number;
}
