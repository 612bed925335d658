import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readable } from '../src/text/json.ts';

test.each([
  ['{"question":"Where is it?"}', 'Where is it?'],
  ['{ "q" : "a \\"b\\" c" }', 'a "b" c'],
  ['{"a":"b","c":"d"}', '{"a":"b","c":"d"}'],
  ['{"n":1}', '{"n":1}'],
  ['{}', '{}'],
])('%s reads as %s', (text, expected) => {
  expect(readable({ text, bytes: text.length, isCut: false })).toBe(expected);
});

test('a text that is cut reads as its beginning, wherever it is cut', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary', maxLength: 40 }), fc.nat(60), (value, end) => {
      const whole = JSON.stringify({ text: value });
      const text = whole.slice(0, Math.min(end, whole.length - 3));
      const shown = readable({ text, bytes: whole.length, isCut: true });
      expect(shown.endsWith(' …')).toBe(true);
      if (text.length > '{"text":"'.length) expect(value.startsWith(shown.slice(0, -2))).toBe(true);
    }),
  );
});
