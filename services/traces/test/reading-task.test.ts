import { expect, test } from 'vitest';
import { read } from '../src/domain/reading-task.ts';
import { exportOf } from './setting.ts';

test('a trace whose spans cannot be read fails alone, and the others settle', () => {
  const bytes = Buffer.from(JSON.stringify(exportOf([{ name: 'whole' }])));
  const reading = read({
    name: 'readRequest',
    given: { bytes, encoding: 'json', signal: 'traces', now: Date.now() },
  });
  if ('refused' in reading) throw new Error(reading.refused);
  const whole = reading.request.parts.map((part) => part.bytes);
  const [first, second, third] = read({
    name: 'settle',
    given: { traces: [whole, [Buffer.from([0x0a, 0xff])], whole] },
  });
  expect(second).toEqual({ fault: expect.any(String) });
  for (const settled of [first, third]) expect(settled).toHaveProperty('result.summary.spans', 1);
});
