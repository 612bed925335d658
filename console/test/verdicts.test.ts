import { expect, test } from 'vitest';
import { writeSide } from '../src/text/verdicts.ts';

test('two sides that differ are never written alike', () => {
  const metric = {
    outputType: 'float' as const,
    difference: 0.00004,
    confidenceInterval: { low: 0.00002, high: 0.00006, level: 0.95 },
  };
  expect([writeSide(metric, 0.5), writeSide(metric, 0.50004)]).toEqual(['0.500000', '0.500040']);
  expect(writeSide(metric, null)).toBe('–');
});
