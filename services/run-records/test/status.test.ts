import { expect, test } from 'vitest';
import { statusOf } from '../src/domain/accounts/status.ts';

const progress = {
  records: 0,
  expectedRecords: null as number | null,
  pending: 0,
  awaited: 0,
  settled: 0,
};

test.each([
  ['pending', 'without a testset and records', {}],
  ['awaiting_execution', 'with a testset and no record', { expectedRecords: 3 }],
  ['running_execution', 'while records are missing', { expectedRecords: 3, records: 2 }],
  ['completed', 'with an empty testset', { expectedRecords: 0 }],
  ['completed', 'without metrics, when the records are there', { expectedRecords: 3, records: 3 }],
  ['completed', 'when there are more records than expected', { expectedRecords: 3, records: 4 }],
  ['awaiting_scoring', 'before the first score', { records: 3, pending: 3 }],
  ['running_scoring', 'after the first score', { records: 3, pending: 2, settled: 1 }],
  [
    'awaiting_human_scoring',
    'when only people are awaited',
    { records: 3, awaited: 1, settled: 2 },
  ],
  ['completed', 'when nothing is missing', { records: 3, settled: 3 }],
])('a run is %s %s', (status, _when, change) => {
  expect(statusOf({ ...progress, ...change })).toBe(status);
});
