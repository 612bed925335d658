import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { endOfChecked, malformed, tooDeep } from '../check.ts';

const check = (text: string, depthMax = 512) => endOfChecked(Buffer.from(text), 0, depthMax);

function isTakenByParse(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Is it one value, and nothing after it? */
const isTaken = (text: string): boolean =>
  check(text.trimStart()) === Buffer.byteLength(text.trimStart());

describe('checking a JSON text', () => {
  test('every JSON text is taken, with any space between its tokens', () => {
    fc.assert(
      fc.property(
        fc.json({ maxDepth: 5, stringUnit: 'binary' }),
        fc.constantFrom(undefined, 2, '\t'),
        (text, indent) => {
          const spaced = JSON.stringify(JSON.parse(text), null, indent);
          expect(check(spaced)).toBe(Buffer.byteLength(spaced));
          expect(check(`${spaced},1]`)).toBe(Buffer.byteLength(spaced));
        },
      ),
    );
  });

  test('what it takes is what JSON.parse takes, of texts that are almost JSON', () => {
    const token = fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ':',
        ',',
        '"a"',
        '""',
        '1',
        '0',
        '-',
        '-0',
        '01',
        '1.',
        '.5',
        '1.5',
        '1e5',
        '1E+2',
        '1e',
        '2e-',
        'true',
        'tru',
      ],
      ...[
        'null',
        'nul',
        'false',
        'False',
        'NaN',
        ' ',
        '\n',
        '\u00a0',
        '\u0000',
        '"\\n"',
        '"\\x"',
        '"\\u00e9"',
        '"\\u00g9"',
        '"\\',
        '"\t"',
        '"é"',
        "'",
      ],
    );
    const tokens = fc.array(token, { maxLength: 12 }).map((parts) => parts.join(''));
    const mutated = fc
      .tuple(fc.json(), fc.nat(), token)
      .map(
        ([text, at, piece]) =>
          text.slice(0, at % text.length) + piece + text.slice((at % text.length) + 1),
      );
    fc.assert(
      fc.property(fc.oneof(tokens, mutated), (text) => {
        expect([text, isTaken(text.trimEnd())]).toEqual([text, isTakenByParse(text.trim())]);
      }),
      { numRuns: volume(5000) },
    );
  });

  test('a text that ends too early is none, wherever it ends', () => {
    const text = '{"a":[1.5e+3,true,"\\u00e9\\n",{"b":null}],"c":-0}';
    for (let length = 0; length < text.length; length++)
      expect(check(text.slice(0, length))).toBe(malformed);
    expect(check(text)).toBe(text.length);
  });

  test('more levels than there may be are too deep, whatever comes behind them', () => {
    expect(check('[[[]]]', 3)).toBe(6);
    expect(check('[{"a":[[]]}]', 3)).toBe(tooDeep);
    expect(check('[[[[ and no JSON', 3)).toBe(tooDeep);
    expect(check('[[],[],{},[[]]]', 3)).toBe(15);
  });
});
