import type { Code } from '@assay/contracts/metrics';
import { afterAll, describe, expect, test } from 'vitest';
import { languages, openSandbox, startSandbox, withoutPython } from './setting.ts';

const sandbox = openSandbox();
afterAll(() => sandbox.close());

test('Python metrics run here, in bubblewrap', ({ skip }) => {
  if (withoutPython) skip(`The tests of Python are left out. ${withoutPython}`);
  expect(withoutPython).toBeUndefined();
});

/** The same thing said in each language. */
type Scripts = Record<Code['language'], string>;

const returning = (script: string, python = script): Scripts => ({
  typescript: `const evaluate = (record: { outputs: object }): unknown => (${script});`,
  javascript: `function evaluate({ outputs }) { return ${script}; }`,
  python: `def evaluate(record):\n    return ${python}`,
});

describe('code that exports its function', () => {
  test.each([
    'export function evaluate() { return 1; }',
    'export async function evaluate() { return 1; }',
    'const one = 1;\nexport const evaluate = () => one;',
    'export default function evaluate() { return 1; }',
    'export default () => 1;',
    'export default async ({ outputs }) => 1;',
    'function evaluate() { return 1; }\nexport { evaluate };',
    'const one = 1;\nfunction evaluate() { return one; }\nexport {\n  evaluate,\n  one,\n}',
  ])('is taken: %s', async (source) => {
    expect(await sandbox.run('typescript', source)).toMatchObject({ ok: true, value: 1 });
  });

  test('has its faults named at the places of the source', async () => {
    const source = 'export function evaluate() {\n  return missing;\n}';
    expect(await sandbox.run('javascript', source)).toMatchObject({
      ok: false,
      message: "ReferenceError: 'missing' is not defined",
      line: 2,
    });
  });

  test.each(['javascript', 'typescript'] as const)(
    'has a fault of its syntax named at its true place in %s, not at the export',
    async (language) => {
      const source = 'export function evaluate() {\n  const a = 1;\n  const a = 2;\n  return a;\n}';
      const [problem] = await sandbox.check({ language, source });
      expect(problem).toMatchObject({ line: 3, message: expect.not.stringContaining('export') });
    },
  );

  test('keeps the lines of its texts that begin with export', async () => {
    const source = 'const text = `a\nexport const b`;\nfunction evaluate() { return text; }';
    expect(await sandbox.run('javascript', source)).toMatchObject({
      ok: true,
      value: 'a\nexport const b',
    });
  });
});

describe.each(languages)('%s', (language) => {
  test.each<[string, Scripts, unknown]>([
    ['a boolean', returning('true', 'True'), true],
    ['an integer', returning('3'), 3],
    ['a float', returning('0.25'), 0.25],
    ['a text', returning('"é\\u0000😀"'), 'é\u0000😀'],
    ['a list of objects', returning('[1, { "a": [2] }]'), [1, { a: [2] }]],
    ['null in an object', returning('{ "value": null }', '{ "value": None }'), null],
  ])('%s comes out as it was returned', async (_what, said, value) => {
    expect(await sandbox.run(language, said[language])).toEqual({
      ok: true,
      value,
      reasoning: undefined,
    });
  });

  test('the value and its reasoning come out of one object', async () => {
    const said = returning('{ "value": 4, "reasoning": "close" }');
    expect(await sandbox.run(language, said[language])).toEqual({
      ok: true,
      value: 4,
      reasoning: 'close',
    });
  });

  test.each(['score', 'binaryScore', 'intScore', 'floatScore'])(
    '%s is read where there is no value',
    async (name) => {
      const said = returning(`{ "${name}": 1, "reasoning": "close" }`);
      const read = { ok: true, value: 1, reasoning: 'close' };
      expect(await sandbox.run(language, said[language])).toEqual(read);
      const both = returning(`{ "${name}": 2, "value": 1, "reasoning": "close" }`);
      expect(await sandbox.run(language, both[language])).toEqual(read);
    },
  );

  test('a value of null keeps its reason, and null alone is nothing', async () => {
    const exempt = returning(
      '{ "value": null, "reasoning": "no citation" }',
      '{ "value": None, "reasoning": "no citation" }',
    );
    expect(await sandbox.run(language, exempt[language])).toEqual({
      ok: true,
      value: null,
      reasoning: 'no citation',
    });
    expect(await sandbox.run(language, returning('null', 'None')[language])).toMatchObject({
      ok: false,
      message: 'evaluate returned nothing: return the value, or { value, reasoning }',
    });
  });

  test('the form of others is taken: score(inputs, outputs, expected), which returns { score, reasoning }', async () => {
    const said = {
      typescript:
        'export default function score(inputs: any, outputs: any, expected: any) {\n  return { score: outputs.a === expected.b, reasoning: inputs.c };\n}',
      javascript:
        'export const score = (inputs, outputs, expected) => ({ score: outputs.a === expected.b, reasoning: inputs.c });',
      python:
        'def score(inputs: dict, outputs: dict, expected: dict) -> dict:\n    return {"score": outputs["a"] == expected["b"], "reasoning": inputs["c"]}',
    };
    const record = { inputs: { c: 'why' }, outputs: { a: 1 }, expected: { b: 1 } };
    expect(await sandbox.run(language, said[language], record)).toEqual({
      ok: true,
      value: true,
      reasoning: 'why',
    });
  });

  test('the record arrives as it was sent', async () => {
    const record = {
      inputs: { question: 'é\u0000😀' },
      expected: { 'a.b$c': [1, null] },
      outputs: { toString: '1' },
    };
    const said = {
      typescript: 'const evaluate = (record: unknown) => record;',
      javascript: 'const evaluate = (record) => record;',
      python: 'evaluate = lambda record: record',
    };
    expect(await sandbox.run(language, said[language], record)).toEqual({
      ok: true,
      value: record,
      reasoning: undefined,
    });
  });

  test.each<[string, Scripts, RegExp]>([
    [
      'no number of JSON',
      returning('NaN', 'float("nan")'),
      /^evaluate returned nan, which is not a JSON number$/i,
    ],
    ['an endless number', returning('-Infinity', 'float("-inf")'), /^evaluate returned -inf/i],
    [
      'a number that is too large',
      returning('{ toJSON: () => 10n ** 400n }', '10 ** 400'),
      /too large|BigInt/,
    ],
    [
      'nothing',
      returning('undefined', 'None'),
      /^evaluate returned nothing: return the value, or \{ value, reasoning \}$/,
    ],
    ['a function', returning('evaluate'), /returned a function, which|not JSON serializable/],
    [
      'a reasoning that is no text',
      returning('{ "value": 1, "reasoning": 2 }'),
      /^reasoning must be a text$/,
    ],
    [
      'more than 64 KiB',
      returning('"x".repeat(65537)', '"x" * 65537'),
      /^the value and its reasoning have 655\d\d characters as JSON/,
    ],
    [
      'too many levels',
      returning(
        'JSON.parse("[".repeat(600) + "]".repeat(600))',
        '__import__("json").loads("[" * 600 + "]" * 600)',
      ),
      /levels/,
    ],
  ])('%s is an error that says so', async (_what, said, message) => {
    expect(await sandbox.run(language, said[language])).toMatchObject({
      ok: false,
      code: 'code_error',
      message: expect.stringMatching(message),
    });
  });

  test('an error of the code comes out with its own words and the line of the source, from nested functions too', async () => {
    const nested = (types: string) =>
      `\n\nfunction read(outputs${types}) {\n  const items = [1];\n  return items.map((item) => {\n    return outputs.a\n      .b;\n  });\n}\n` +
      `function evaluate({ outputs }${types}) {\n  return read(outputs);\n}\n`;
    const said = {
      typescript: nested(': any').replace('const items', 'const items: Array<\n number\n>'),
      javascript: nested(''),
      python:
        'def read(outputs):\n    return [\n        outputs["a"]["b"]\n        for item in [1]\n    ]\n\ndef evaluate(record):\n    return read(record["outputs"])\n',
    };
    const expected = {
      typescript: { message: "TypeError: cannot read property 'b' of undefined", line: 9 },
      javascript: { message: "TypeError: cannot read property 'b' of undefined", line: 7 },
      python: { message: "KeyError: 'a'", line: 3 },
    };
    expect(await sandbox.run(language, said[language])).toEqual({
      ok: false,
      code: 'code_error',
      ...expected[language],
    });
  });

  test('what is thrown without being an error is told', async () => {
    const said = {
      typescript: 'const evaluate = () => { throw { toString: () => "odd" }; };',
      javascript: 'const evaluate = () => { throw "odd"; };',
      python: 'def evaluate(record):\n    raise SystemExit("odd")',
    };
    expect(await sandbox.run(language, said[language])).toMatchObject({
      ok: false,
      message: expect.stringMatching(/^(the code threw|SystemExit:) odd$/),
    });
  });

  test('what the code prints goes nowhere', async () => {
    const said = {
      typescript: 'const evaluate = () => { console.log("printed"); return 1; };',
      javascript: 'const evaluate = () => { console.error("printed"); return 1; };',
      python:
        'import sys\ndef evaluate(record):\n    print("printed", flush=True)\n    print("printed", file=sys.stderr)\n    return 1',
    };
    expect(await sandbox.run(language, said[language])).toMatchObject({ ok: true, value: 1 });
  });

  test('a check finds nothing in code that can be used', async () => {
    expect(await sandbox.check({ language, source: returning('1')[language] })).toEqual([]);
  });

  test('a check finds what does not compile, with its place', async () => {
    const said = {
      typescript: '\nlet a: number = ;',
      javascript: 'const a = 1;\n  let b = ;',
      python: 'a = 1\nb = (2 +\n',
    };
    const places = { typescript: [2, 17], javascript: [2, 11], python: [2, 5] };
    const [line, column] = places[language];
    expect(await sandbox.check({ language, source: said[language] })).toEqual([
      { message: expect.stringMatching(/^SyntaxError: ./), line, column },
    ]);
  });

  test('a check finds a top level that fails, and code without evaluate', async () => {
    const failing = {
      typescript: '\nconst a: number = missing;',
      javascript: '\nmissing();',
      python: '\nmissing()',
    };
    expect(await sandbox.check({ language, source: failing[language] })).toEqual([
      {
        message: expect.stringMatching(/Error: .*missing.* is not defined/),
        line: 2,
        column: language === 'javascript' ? expect.any(Number) : undefined,
      },
    ]);
    const without = {
      typescript: 'const evaluate: number = 1;',
      javascript: 'let b;',
      python: 'evaluate = 1',
    };
    expect(await sandbox.check({ language, source: without[language] })).toMatchObject([
      { message: 'the code defines no function evaluate' },
    ]);
  });

  test('a check finds a top level that does not end', async () => {
    const said = { typescript: 'for (;;);', javascript: 'for (;;);', python: 'while True: pass' };
    expect(
      await startSandbox({ timeoutMs: 500 }).check({ language, source: said[language] }),
    ).toMatchObject([{ message: 'the code ran longer than 500 ms' }]);
  });

  test('source of more than 64 KiB is refused before it is run', async () => {
    expect(await sandbox.check({ language, source: 'x'.repeat(65_537) })).toEqual([
      { message: 'has more than 65536 characters' },
    ]);
  });
});

describe('promises', () => {
  test.each([
    ['async function evaluate() { await null; return { value: 2 }; }', { ok: true, value: 2 }],
    ['const evaluate = () => Promise.all([1, Promise.resolve(2)])', { ok: true, value: [1, 2] }],
    [
      'async function evaluate() {\n  await null;\n  throw new Error("late");\n}',
      { ok: false, message: 'Error: late', line: 3 },
    ],
    ['const evaluate = () => new Promise(() => {})', { ok: false, message: /never settled/ }],
    [
      'const evaluate = () => ({ value: Promise.resolve(1) })',
      { ok: false, message: /returned a promise/ },
    ],
  ])(
    '%s',
    async (source, {
      message,
      ...outcome
    }: { ok: boolean; value?: unknown; message?: string | RegExp; line?: number }) => {
      expect(await sandbox.run('javascript', source)).toMatchObject({
        ...outcome,
        ...(message && { message: expect.stringMatching(message) }),
      });
    },
  );

  test.skipIf(withoutPython)('an async evaluate of Python is refused with the reason', async () => {
    const outcome = await sandbox.run('python', 'async def evaluate(record):\n    return 1');
    expect(outcome).toMatchObject({
      ok: false,
      message: 'evaluate must not be async: it cannot wait for anything',
    });
  });
});

test('TypeScript that only its types make wrong is run, and one with enums, classes and generics too', async () => {
  const source = `
enum Grade { Low, High }
class Grader<Item extends { score: number }> {
  constructor(private readonly items: Item[]) {}
  grade = (): Grade => (this.items.every(({ score }) => score! > 1) ? Grade.High : Grade.Low);
}
function evaluate({ outputs }: { outputs: { items: { score: number }[] } }): boolean {
  return new Grader(outputs.items).grade() satisfies Grade as unknown as boolean;
}`;
  expect(
    await sandbox.run('typescript', source, { outputs: { items: [{ score: 2 }] } }),
  ).toMatchObject({ ok: true, value: 1 });
});

test('without bubblewrap no code runs, and each language says what is missing', async () => {
  const sandbox = startSandbox({ bubblewrapPath: '/nowhere/bwrap', withoutWall: false });
  const python = expect.stringMatching(/^Python metrics are off on this machine: bubblewrap /);
  const javascript = expect.stringMatching(
    /^JavaScript and TypeScript metrics are off on this machine: bubblewrap .*; install bubblewrap, or .* by CODE_WITHOUT_WALL=true$/,
  );
  expect(await sandbox.availability()).toEqual({
    typescript: { available: false, reason: javascript },
    javascript: { available: false, reason: javascript },
    python: { available: false, reason: python },
  });
  const sources = {
    javascript: 'const evaluate = () => 1',
    typescript: 'const evaluate = () => 1',
    python: 'def evaluate(record): return 1',
  };
  for (const [language, message] of Object.entries({ javascript, typescript: javascript, python }))
    expect(
      await sandbox.run(
        language as keyof typeof sources,
        sources[language as keyof typeof sources],
      ),
    ).toEqual({
      ok: false,
      code: 'code_error',
      message,
    });
});

test('without bubblewrap JavaScript runs where the operator allows it, which is told, and Python does not', async () => {
  const told: string[] = [];
  const sandbox = startSandbox({
    bubblewrapPath: '/nowhere/bwrap',
    withoutWall: true,
    log: (sentence) => told.push(sentence),
  });
  expect(await sandbox.availability()).toMatchObject({
    typescript: { available: true },
    javascript: { available: true },
    python: { available: false },
  });
  expect(await sandbox.run('javascript', 'const evaluate = () => 1')).toMatchObject({
    ok: true,
    value: 1,
  });
  expect(told).toEqual([
    expect.stringMatching(
      /^JavaScript and TypeScript metrics run without bubblewrap's wall: bubblewrap /,
    ),
  ]);
});
