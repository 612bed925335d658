import { JsonText } from '@assay/contracts/payload';
import { tracedBytesMax } from '@assay/contracts/run-records';
import { expect, test } from 'vitest';
import { batchesOf, type Sample } from '../src/domain/record-batches.ts';

function sampleOf(record: object): Sample {
  const [inputs, outputs] = [JsonText.of({ q: 'x'.repeat(100_000) }), JsonText.of({})];
  return { head: {}, record: { inputs, outputs, ...record } } as unknown as Sample;
}

test('the errors of records count among the bytes of a call', () => {
  const error = { message: '\u0000'.repeat(16 * 1024), stack: 'x'.repeat(64 * 1024) };
  const bytes = 100_000 + JSON.stringify(error).length;
  const batches = batchesOf(Array.from({ length: 100 }, () => sampleOf({ error })));
  for (const batch of batches) expect(batch.length * bytes).toBeLessThanOrEqual(tracedBytesMax);
  expect(batches.flat()).toHaveLength(100);
  expect(batchesOf(Array.from({ length: 100 }, () => sampleOf({})))).toHaveLength(1);
});
