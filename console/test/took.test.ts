import { expect, test } from 'vitest';
import { tookAt, tookOf, tookPointers } from '../src/text/took.ts';

test('what an answer took is told in a fixed order, and what is not known is left out', () => {
  const metrics = { costUsd: 0.0012, latencyMs: 1840.4, outputTokens: 0 };
  expect(tookOf(metrics)).toEqual([
    { name: 'Latency', text: '1,840 ms' },
    { name: 'Output tokens', text: '0' },
    { name: 'Cost', text: '$0.0012' },
  ]);
  expect(tookOf(undefined)).toEqual([]);
  expect(tookPointers.map((pointer) => tookAt(metrics, pointer))).toEqual([
    '1,840 ms',
    undefined,
    '0',
    '$0.0012',
  ]);
});
