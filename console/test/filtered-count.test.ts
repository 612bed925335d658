import { expect, test } from 'vitest';
import { filteredCount } from '../src/pages/run/filtered-count.ts';

const metric = {
  metricVersionId: 'm',
  outputType: 'boolean' as const,
  count: 10,
  records: 10,
  failed: 3,
  errored: 0,
  invalid: 1,
  distribution: [
    { value: false, count: 4 },
    { value: true, count: 6 },
  ],
};

test('a filter by one outcome or value of a metric passes as many records as its summary has', () => {
  const counted = (filters: object, changes = {}) =>
    filteredCount({ metricVersionId: 'm', ...filters }, [{ ...metric, ...changes }]);
  expect(counted({ outcome: 'fail' })).toBe(4);
  expect(counted({ outcome: 'pass', sort: 'value:m', order: 'desc' })).toBe(6);
  expect(counted({ value: 'true' })).toBe(6);
  expect(counted({ outcome: 'failed' })).toBe(3);
  expect(counted({ outcome: 'invalid' })).toBe(1);
  expect(counted({ outcome: 'errored' }, { errored: 2 })).toBe(2);
});

test('other filters beside it, repeats, and answers that are missing leave the number open', () => {
  const counted = (filters: object, changes = {}) =>
    filteredCount({ metricVersionId: 'm', ...filters }, [{ ...metric, ...changes }]);
  expect(counted({ outcome: 'fail', tags: ['a'] })).toBeUndefined();
  expect(counted({ outcome: 'fail' }, { count: 5 })).toBeUndefined();
  expect(counted({ outcome: 'fail' }, { errored: 2 })).toBeUndefined();
  expect(counted({ outcome: 'fail' }, { outputType: 'int' })).toBeUndefined();
  expect(counted({ outcome: 'pending' })).toBeUndefined();
  expect(counted({ min: '1' })).toBeUndefined();
  expect(filteredCount({ tags: ['a'] }, [metric])).toBeUndefined();
});
