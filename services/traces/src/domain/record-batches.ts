import { tracedBytesMax } from '@assay/contracts/run-records';
import type { AskedHead } from '../store.ts';
import { bytesOf, type TracedRecord } from './traced-record.ts';

/** Records that are sent in one call. */
const recordsMax = 100;

/** A trace that becomes a record. */
export interface Sample {
  head: AskedHead;
  record: TracedRecord;
}

/** Divides samples into the calls in which they are sent. */
export function batchesOf(samples: Sample[]): Sample[][] {
  const batches: Sample[][] = [];
  let bytes = 0;
  for (const sample of samples) {
    const own = bytesOf(sample.record);
    const batch = batches.at(-1);
    if (batch && batch.length < recordsMax && bytes + own <= tracedBytesMax) {
      batch.push(sample);
      bytes += own;
    } else {
      batches.push([sample]);
      bytes = own;
    }
  }
  return batches;
}
