import type { Filter } from 'mongodb';
import type { RecordDocument } from './record.ts';

/** A filter of a list in the database's words. */
export interface Condition {
  filter: Filter<RecordDocument>;
  /** How an index finds the records in the order of their ids; undefined where none does. */
  lead?: Lead;
}

export interface Lead {
  /** As much of the condition as the index answers. */
  filter: Filter<RecordDocument>;
  index: Record<string, 1>;
  /** Does the index answer all of it? */
  isWhole: boolean;
}
