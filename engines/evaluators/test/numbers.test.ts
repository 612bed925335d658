import { volume } from '@assay/testing/volume';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { evaluate, readPayload } from '../evaluate.ts';

const unusedChecker = { check: async () => [], validate: async () => [] };

/** What an evaluator gives for JSON texts; the message where it gives no value. */
async function judge(
  name: string,
  output: string,
  expected: string,
  options?: Record<string, unknown>,
) {
  const result = await evaluate({
    builtin: { name, options },
    outputType: name === 'set_f1' ? 'float' : 'boolean',
    outputs: readPayload(`{"o":${output}}`, { name }),
    expected: readPayload(`{"e":${expected}}`, { name }),
    schemaChecker: unusedChecker,
  });
  return result.ok ? result.value : result.message;
}

const long = '12345678901234567890';
const other = '12345678901234567891';

describe('two numbers are compared by their value', () => {
  test.each([
    ['1', '1.0', true],
    ['1e0', '10e-1', true],
    ['-0', '0', true],
    ['1e400', '10e399', true],
    ['1e400', '1e401', false],
    ['1e999999999', '1e999999998', false],
    ['1234567890123456789', '1234567890123456788', false],
    [long, other, false],
    [long, '1234567890123456789e1', true],
    ['0.1234567890123456789', '0.1234567890123456788', false],
  ])('%s and %s: %s', async (one, two, areEqual) => {
    for (const name of ['exact_match', 'json_equal', 'number_close'])
      expect([name, await judge(name, one, two)]).toEqual([name, areEqual]);
    for (const wrapped of [
      (text: string) => `[${text}]`,
      (text: string) => `{"a":{"b":${text}}}`,
    ]) {
      expect(await judge('json_equal', wrapped(one), wrapped(two))).toBe(areEqual);
      // A text that holds JSON is read with all digits, too.
      expect(await judge('json_equal', JSON.stringify(wrapped(one)), wrapped(two))).toBe(areEqual);
    }
    expect(await judge('set_f1', `[${one}]`, `[${two}]`)).toBe(areEqual ? 1 : 0);
  });
});

describe('exact_match of a number and a text', () => {
  test.each([
    ['1.50', '"1.50"', true],
    ['1.50', '"1.5"', true],
    ['1.50', '"1.500"', false],
    ['1.0', '"1"', true],
    ['1e3', '"1000"', true],
    ['1e3', '"1e3"', true],
    ['1e3', '"1E3"', false],
    ['1e21', '"1e+21"', true],
    ['-0', '"0"', true],
    ['-0', '"-0"', true],
    [long, `"${long}"`, true],
    [long, '"12345678901234567000"', false],
    ['42', '"42 "', false],
    ['42', '"true"', false],
  ])('%s and %s: %s', async (number, text, isMatch) => {
    expect(await judge('exact_match', number, text)).toBe(isMatch);
    expect(await judge('exact_match', text, number)).toBe(isMatch);
  });

  test('takes trim and ignoreCase as between texts', async () => {
    expect(await judge('exact_match', '" 1e3\\n"', '1e3', { trim: true })).toBe(true);
    expect(await judge('exact_match', '"1E3"', '1e3', { ignoreCase: true })).toBe(true);
  });

  test('other evaluators of texts read all digits of a number in its shortest form', async () => {
    expect(await judge('contains', long, '"67890"')).toBe(true);
    expect(await judge('contains', `{"id": ${long}}`, `"${long}"`)).toBe(true);
    expect(await judge('contains', '"it is 1"', '1.0')).toBe(true);
  });
});

describe('number_close', () => {
  test('gives a value for any number, and never throws', async () => {
    expect(await judge('number_close', '1e400', '1')).toBe(false);
    expect(await judge('number_close', '1', '-1e400')).toBe(false);
    expect(await judge('number_close', '1e400', '1', { absolute: 0.5 })).toBe(false);
    expect(await judge('number_close', '1e400', '1e400', { relative: 0.1 })).toBe(true);
    expect(await judge('number_close', '"about 1e400"', '1e400')).toBe(true);
    expect(await judge('number_close', '1e999999999', '1', { relative: 1 })).toBe(false);
    expect(await judge('number_close', `1e${'9'.repeat(10_000)}`, '1', { relative: 1 })).toBe(
      false,
    );
  });

  test('takes numbers that only JavaScript has for no number', async () => {
    for (const value of [Number.NaN, Number.POSITIVE_INFINITY]) {
      const result = await evaluate({
        builtin: { name: 'number_close' },
        outputType: 'boolean',
        outputs: { o: value },
        expected: { e: 1 },
        schemaChecker: unusedChecker,
      });
      expect(result).toMatchObject({ ok: true, value: false });
    }
  });

  test('agrees with whole numbers of any length', async () => {
    const whole = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    await fc.assert(
      fc.asyncProperty(
        whole,
        fc.bigInt({ min: -9n, max: 9n }),
        fc.nat(9),
        async (number, more, absolute) => {
          const isClose = (more < 0n ? -more : more) <= BigInt(absolute);
          expect(
            await judge('number_close', String(number + more), String(number), { absolute }),
          ).toBe(isClose);
          expect(
            await judge('number_close', String(number + more), `"${number}"`, { absolute }),
          ).toBe(isClose);
        },
      ),
      { numRuns: volume(400) },
    );
  });
});

describe('every evaluator of equality', () => {
  test('holds both ways, for numbers of all lengths', async () => {
    const number = fc
      .tuple(fc.bigInt({ min: -(10n ** 21n), max: 10n ** 21n }), fc.integer({ min: -3, max: 3 }))
      .map(([digits, exponent]) => `${digits}e${exponent}`);
    await fc.assert(
      fc.asyncProperty(number, number, async (one, two) => {
        for (const name of ['exact_match', 'json_equal', 'number_close', 'set_f1']) {
          const [left, right] = name === 'set_f1' ? [`[${one}]`, `[${two}]`] : [one, two];
          expect(await judge(name, left, right)).toBe(await judge(name, right, left));
          expect(Number(await judge(name, left, left))).toBe(1);
        }
      }),
      { numRuns: volume(200) },
    );
  });
});
