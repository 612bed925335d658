import { existsSync, readFileSync } from 'node:fs';
import { createSchemaChecker } from '@assay/json-schema/schema';
import fc from 'fast-check';
import { afterAll, describe, expect, test } from 'vitest';
import { evaluate } from '../evaluate.ts';
import { createSetting } from './setting.ts';

const { run, judge, check, close } = createSetting();
afterAll(close);

describe('exact_match and contains', () => {
  test('compare as they stand, and ignore case and outer white space on request', async () => {
    expect(await judge('exact_match', 'Paris', 'Paris')).toBe(true);
    expect(await judge('exact_match', ' paris\n', 'Paris')).toBe(false);
    expect(await judge('exact_match', ' paris\n', 'Paris', { ignoreCase: true, trim: true })).toBe(
      true,
    );
    expect(await judge('exact_match', 'STRASSE ΟΔΟΣ', 'straße οδος', { ignoreCase: true })).toBe(
      true,
    );
    expect(await judge('contains', 'It is Paris.', 'Paris')).toBe(true);
    expect(await judge('contains', 'It is Paris.', 'paris ')).toBe(false);
    expect(
      await judge('contains', 'It is Paris.', 'paris ', { ignoreCase: true, trim: true }),
    ).toBe(true);
  });

  test('take the two ways to write é as one, and a number as its digits', async () => {
    expect(await judge('exact_match', 'cafe\u0301', 'caf\u00e9')).toBe(true);
    expect(await judge('exact_match', 42, '42')).toBe(true);
    expect(await judge('exact_match', null, '')).toBe(true);
  });

  test('fail where the expected value is no text, or one that everything contains', async () => {
    expect(await judge('exact_match', 'x', { a: 1 })).toMatch(/an object.*json_equal/);
    expect(await judge('exact_match', 'x', null)).toMatch(/null/);
    expect(await judge('contains', 'x', '')).toMatch(/empty/);
  });

  test('quote long texts cut, never within a character', async () => {
    const result = await run({
      name: 'exact_match',
      outputs: { o: '😀'.repeat(500) },
      expected: { e: 'a' },
    });
    expect(result).toEqual({
      ok: true,
      value: false,
      reasoning: `The output is ${JSON.stringify('😀'.repeat(80))}…, expected "a".`,
    });
  });
});

describe('regex_match', () => {
  test('matches anywhere, anchored only by the pattern', async () => {
    expect(await judge('regex_match', 'Total: 12 EUR', undefined, { pattern: '\\d+ EUR$' })).toBe(
      true,
    );
    expect(await judge('regex_match', 'Total: 12 EUR', undefined, { pattern: '^\\d+' })).toBe(
      false,
    );
    expect(await judge('regex_match', 'PARIS', undefined, { pattern: '(?i)paris' })).toBe(true);
  });

  test('answers at once where a backtracking engine would not, and refuses work without bound', async () => {
    expect(
      await judge('regex_match', 'x'.repeat(1_000_000), undefined, { pattern: '(x+x+)+y' }),
    ).toBe(false);
    expect(
      await judge('regex_match', 'x'.repeat(1_000_000), undefined, { pattern: '[a-z]{500}[0-9]' }),
    ).toMatch(/too many/);
  });
});

describe('json_equal', () => {
  test('does not see the order of fields, and says where values differ', async () => {
    expect(await judge('json_equal', { a: 1, b: [true, null] }, { b: [true, null], a: 1 })).toBe(
      true,
    );
    const result = await run({
      name: 'json_equal',
      outputs: { o: { a: { 'x/y': [1, 2] } } },
      expected: { e: { a: { 'x/y': [1, 3] } } },
    });
    expect(result).toMatchObject({ value: false, reasoning: 'The output differs at "/a/x~1y/1".' });
  });

  test('reads a text that holds an object or array, and no other text', async () => {
    expect(await judge('json_equal', ' {"b": 2, "a": [1]} ', { a: [1], b: 2 })).toBe(true);
    expect(await judge('json_equal', '1', 1)).toBe(false);
    expect(await judge('json_equal', '{"a": ', { a: 1 })).toBe(false);
    expect(await judge('json_equal', '[1', '[1')).toBe(true);
  });

  test('tells inherited names from fields, and an array from an object', async () => {
    expect(
      await judge('json_equal', JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 2}')),
    ).toBe(false);
    expect(await judge('json_equal', JSON.parse('{"__proto__": 1}'), { x: 1 })).toBe(false);
    expect(await judge('json_equal', { toString: 1 }, {})).toBe(false);
    expect(await judge('json_equal', {}, [])).toBe(false);
    expect(await judge('json_equal', [1], { 0: 1 })).toBe(false);
  });

  test('goes through 512 levels, and takes what is nested far deeper in a text as a text', async () => {
    const deep = (levels: number, core: string) => '['.repeat(levels) + core + ']'.repeat(levels);
    expect(await judge('json_equal', JSON.parse(deep(512, '1')), deep(512, ' 1'))).toBe(true);
    expect(await judge('json_equal', JSON.parse(deep(512, '1')), JSON.parse(deep(512, '2')))).toBe(
      false,
    );
    expect(await judge('json_equal', deep(200_000, '1'), deep(200_000, ' 1'))).toBe(false);
  });

  test('holds for every value and its copy with fields in another order', async () => {
    const reordered = (value: unknown): unknown => {
      if (Array.isArray(value)) return value.map(reordered);
      if (typeof value !== 'object' || value === null) return value;
      const fields = Object.entries(value).reverse();
      return Object.fromEntries(fields.map(([name, field]) => [name, reordered(field)]));
    };
    const values = fc.jsonValue().map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    await fc.assert(
      fc.asyncProperty(values, async (value) => {
        expect(await judge('json_equal', reordered(value), value)).toBe(true);
      }),
    );
  });
});

describe('json_schema', () => {
  const schema = { type: 'object', required: ['city'], properties: { city: { type: 'string' } } };

  test('takes the output as it is, or read from its text, and says what does not fit', async () => {
    expect(await judge('json_schema', { city: 'Bern' }, undefined, { schema })).toBe(true);
    expect(await judge('json_schema', '{"city": "Bern"}', undefined, { schema })).toBe(true);
    expect(await judge('json_schema', '[1]', undefined, { schema: { type: 'string' } })).toBe(true);
    const result = await run({
      name: 'json_schema',
      options: { schema },
      outputs: { o: { city: 1 } },
    });
    expect(result).toMatchObject({
      ok: true,
      value: false,
      reasoning: expect.stringContaining('city'),
    });
  });

  test('fails where there was no time to check, rather than calling the output wrong', async () => {
    const hurried = createSchemaChecker({ timeoutMs: 1 });
    const builtin = { name: 'json_schema', options: { schema } };
    const result = await evaluate({
      builtin,
      outputType: 'boolean',
      expected: {},
      outputs: { o: {} },
      schemaChecker: hurried,
    });
    await hurried.close();
    expect(result).toEqual({ ok: false, message: expect.stringContaining('takes too long') });
  });

  test('that is no schema is a problem at its place', async () => {
    const both = await check('json_schema', { output: 'v', schema: { type: 'strin' } });
    expect(both.map(({ path }) => path)).toEqual([
      '/builtin/options/output',
      '/builtin/options/schema/type',
    ]);
    const problems = await check('json_schema', { schema: { type: 'nonsense' } });
    expect(problems[0]?.path).toMatch(/^\/builtin\/options\/schema\/type/);
    expect(await check('json_schema', { schema })).toEqual([]);
    expect(await check('json_schema', { schema: 'x' })).toMatchObject([
      { path: '/builtin/options/schema' },
    ]);
    expect(await check('json_schema')).toEqual([
      { path: '/builtin/options/schema', message: 'Is required.' },
    ]);
  });
});

describe('number_close', () => {
  const close = (output: unknown, expected: unknown, options?: Record<string, unknown>) =>
    judge('number_close', output, expected, options);

  test('reads a number without $, thousands and a final full stop', async () => {
    expect(await close('It costs $1,234.50.', 1234.5)).toBe(true);
    expect(await close('-$1,234,567.', '-1234567')).toBe(true);
    expect(await close('\u22125 degrees', -5)).toBe(true);
    expect(await close('12,34,567 rupees', 1_234_567)).toBe(true);
    expect(await close('COVID-19', 19)).toBe(true);
    expect(await close('.5', '0.50')).toBe(true);
    expect(await close('1.5e3', 1500)).toBe(true);
    expect(await close('1, 2 or 3', 1)).toBe(true);
  });

  test('reads after the last occurrence of the marker', async () => {
    expect(await close('A: 3 no, A: 4', 'work\nA: 4', { after: 'A:' })).toBe(true);
    expect(await close('A: 3 no, A: 4', 'work\nA: 3', { after: 'A:' })).toBe(false);
    expect(await close('#### 7', '7', { after: '####' })).toBe(true);
  });

  test('is wrong without a number in the output, and fails without one in the expected value', async () => {
    expect(await close('no idea', 7)).toBe(false);
    expect(await close('7', 7, { after: 'A:' })).toBe(false);
    expect(await close(null, 7)).toBe(false);
    expect(await close('7', 'seven')).toMatch(/no number/);
    expect(await close('A: 7', 'it is 7', { after: 'A:' })).toMatch(/no number after "A:"/);
    expect(await close(7, null)).toMatch(/no number/);
  });

  test('is exact to the last digit without a tolerance, and honest at the edge of one', async () => {
    expect(await close('12345678901234567890', '12345678901234567891')).toBe(false);
    expect(await close('0.10', 0.1)).toBe(true);
    expect(await close('-0', 0)).toBe(true);
    expect(await close(1.1, 1, { absolute: 0.1 })).toBe(true);
    expect(await close(1.11, 1, { absolute: 0.1 })).toBe(false);
    expect(await close(-105, -100, { relative: 0.05 })).toBe(true);
    expect(await close(106, 100, { relative: 0.05 })).toBe(false);
    expect(await close('1e999', '2e999', { relative: 0.5 })).toBe(true);
    expect(await close('1e999', '3e999', { relative: 0.5 })).toBe(false);
    expect(await close(1e21, '1000000000000000000000')).toBe(true);
  });

  test('reads back every double', async () => {
    const numbers = fc.double({ noNaN: true, noDefaultInfinity: true });
    await fc.assert(
      fc.asyncProperty(numbers, async (number) => {
        expect(await close(`A: ${number}`, number, { after: 'A:' })).toBe(true);
      }),
    );
  });
});

// Read in place beside the project, where it is; it is not part of the repository.
const solutions = new URL('../../../../shared/data/gsm8k/model_solutions.jsonl', import.meta.url);

describe('number_close on GSM8K', () => {
  test('agrees with every label of the four published sets of solutions, where the data is', async ({
    annotate,
  }) => {
    if (!existsSync(solutions)) {
      await annotate('GSM8K is not beside the project: nothing was compared.');
      return;
    }
    const lines = readFileSync(solutions, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const right: Record<string, number> = {
      '6b_finetuning': 0,
      '6b_verification': 0,
      '175b_finetuning': 0,
      '175b_verification': 0,
    };
    for (const line of lines) {
      for (const model of Object.keys(right)) {
        const value = await judge('number_close', line[model].solution, line.ground_truth, {
          after: 'A:',
        });
        expect({ question: line.question, model, value }).toEqual({
          question: line.question,
          model,
          value: line[model].is_correct,
        });
        right[model]! += Number(value);
      }
    }
    expect(lines.length).toBe(1319);
    expect(right).toEqual({
      '6b_finetuning': 286,
      '6b_verification': 515,
      '175b_finetuning': 458,
      '175b_verification': 742,
    });
  });
});

describe('which value is meant', () => {
  const exact = (outputs: unknown, expected: unknown, options = {}) =>
    run({ name: 'exact_match', outputs, expected, options });

  test('is what the pointers name, with escapes, indexes and inherited names', async () => {
    const pointers = { output: '/toString/0', expected: '/a~1b/~0' };
    expect(
      await exact({ toString: ['x'], other: 1 }, { 'a/b': { '~': 'x' } }, pointers),
    ).toMatchObject({ ok: true, value: true });
    const own = JSON.parse('{"__proto__": "x", "b": 1}');
    expect(await exact(own, own, { output: '/__proto__', expected: '/__proto__' })).toMatchObject({
      ok: true,
      value: true,
    });
    expect(await exact({ a: 'x' }, { b: 'x' })).toMatchObject({ ok: true, value: true });
  });

  test('is the only one, whatever its name: an output named error is judged as any other', async () => {
    expect(await exact({ error: 'none' }, { e: 'none' })).toMatchObject({ ok: true, value: true });
    expect(await exact({ error: { message: 'none' } }, { e: 'none' })).toMatchObject({
      ok: true,
      value: false,
    });
  });

  test('fails where it is not there or not the only one', async () => {
    expect(await exact({}, { b: 1 })).toEqual({
      ok: false,
      message: "The record's outputs has no field.",
    });
    expect(await exact({ a: 1 }, undefined)).toEqual({
      ok: false,
      message: "The record's expected has no field.",
    });
    expect(await exact({ a: 1, b: 2 }, { b: 1 })).toMatchObject({
      ok: false,
      message: expect.stringContaining('options.output'),
    });
    for (const output of [
      '/toString',
      '/constructor/name',
      '/a/length',
      '/a/00',
      '/a/1',
      '/a/0/x',
    ]) {
      expect(await exact({ a: ['x'] }, { b: 'x' }, { output })).toMatchObject({
        ok: false,
        message: expect.stringContaining('nothing at'),
      });
    }
  });
});

describe('the metric’s output type', () => {
  test('makes yes and no 1 and 0 in a float metric, and a share pass a boolean one from the threshold on', async () => {
    const base = { outputs: { o: 'ab' }, expected: { e: 'ac' } };
    expect(await run({ ...base, name: 'exact_match', outputType: 'float' })).toMatchObject({
      value: 0,
    });
    expect(
      await run({
        ...base,
        name: 'levenshtein',
        outputType: 'boolean',
        options: { threshold: 0.5 },
      }),
    ).toMatchObject({ value: true });
    expect(
      await run({
        ...base,
        name: 'levenshtein',
        outputType: 'boolean',
        options: { threshold: 0.51 },
      }),
    ).toMatchObject({
      value: false,
    });
  });

  test('decides which evaluators fit', async () => {
    expect(await check('exact_match', {}, 'int')).toMatchObject([
      { path: '/builtin/name', message: expect.stringContaining('takes whole numbers') },
    ]);
    expect(await check('rouge_l', {}, 'int')).toMatchObject([{ path: '/builtin/name' }]);
    expect(await check('rouge_l', {}, 'boolean')).toMatchObject([
      { path: '/builtin/options/threshold' },
    ]);
    expect(await check('rouge_l', { threshold: 1.5 }, 'boolean')).toMatchObject([
      { path: '/builtin/options/threshold' },
    ]);
    expect(await check('rouge_l', { threshold: 0.5 }, 'float')).toMatchObject([
      { path: '/builtin/options/threshold' },
    ]);
    expect(await check('rouge_l', {}, 'float')).toEqual([]);
  });
});
