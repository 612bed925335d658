import { describe, expectTypeOf, test } from 'vitest';
import { evaluate } from '../src/evaluate.ts';
import type { Evaluation, Json, SystemError } from '../src/evaluation.ts';
import type { evaluates } from '../src/vitest.ts';

// The compiler tests these: nothing here is called, and `check:types` fails where a line infers
// another type, or where a line compiles that must not.

const ask = async (question: string) => question.toUpperCase();
const onServer = { testset: 'T' };

describe('evaluate infers', () => {
  test('inputs and outputs from the system, for scorers and rows', () => {
    const run = () =>
      evaluate('P', {
        ...onServer,
        system: async ({ question }: { question: string }) => ({ answer: await ask(question) }),
        scores: {
          Short: ({ inputs, outputs }) => {
            expectTypeOf(inputs).toEqualTypeOf<{ question: string }>();
            expectTypeOf(outputs).toEqualTypeOf<{ answer: string }>();
            return outputs.answer.length < 200;
          },
          Long: { scorer: ({ outputs }) => outputs.answer.length, min: 0, max: null },
          // @ts-expect-error The system answers no such field.
          Slip: ({ outputs }) => outputs.anwser.length > 1,
          // @ts-expect-error A text is no score.
          Text: ({ outputs }) => outputs.answer,
        },
      });
    expectTypeOf(run).returns.resolves.toEqualTypeOf<
      Evaluation<{ question: string }, { answer: string }>
    >();
  });

  test('inputs and expected fields from the rows of testcases, for the system and scorers', () => {
    const testcases = [{ inputs: { question: '2 + 2' }, expected: { answer: 4 }, lang: 'en' }];
    for (const options of [{ local: true as const }])
      void (() =>
        evaluate('P', {
          ...options,
          testcases,
          system: async ({ question }, { testcase, signal }) => {
            expectTypeOf(question).toEqualTypeOf<string>();
            expectTypeOf(testcase.expected).toEqualTypeOf<{ answer: number }>();
            expectTypeOf(signal).toEqualTypeOf<AbortSignal>();
            return { answer: Number(await ask(question)) };
          },
          scores: { Near: ({ outputs, expected }) => outputs.answer === expected.answer },
        }));
    void (() =>
      evaluate('P', {
        ...onServer,
        testcases,
        // @ts-expect-error The rows have no such input.
        system: ({ query }) => query,
      }));
    void (() =>
      evaluate('P', {
        ...onServer,
        testcases,
        // @ts-expect-error The rows have a text there.
        system: ({ question }: { question: number }) => question,
      }));
  });

  test('the values that singular names mean, for scorers', () => {
    void (() =>
      evaluate('P', {
        ...onServer,
        testcases: [{ inputs: { question: '2 + 2' }, expected: { answer: 4 } }],
        system: () => ({ output: 4, tokens: 3 }),
        scores: {
          One: ({ input, output, reference }) => {
            expectTypeOf(input).toEqualTypeOf<string>();
            expectTypeOf(output).toEqualTypeOf<number>();
            expectTypeOf(reference).toEqualTypeOf<number>();
            return output === reference;
          },
        },
      }));
    void (() =>
      evaluate('P', {
        ...onServer,
        system: () => ({ a: 1, b: 2 }),
        scores: {
          All: ({ input, output }) => {
            expectTypeOf(input).toEqualTypeOf<unknown>();
            expectTypeOf(output).toEqualTypeOf<{ a: number; b: number }>();
            return true;
          },
        },
      }));
  });

  test('nothing of rows whose form does not tell it', () => {
    interface Mixed {
      inputs?: { question: string };
      input?: string;
    }
    const mixed: Mixed[] = [{ inputs: { question: 'a' } }, { input: 'b' }];
    const scalars = [{ input: 'a', expected: 'b' }];
    void (() => evaluate('P', { ...onServer, testcases: mixed, system: expectFields }));
    void (() =>
      evaluate('P', {
        ...onServer,
        testcases: mixed,
        system: ({ question, input }: { question?: string; input?: string }) => question ?? input,
      }));
    void (() =>
      evaluate('P', {
        ...onServer,
        testcases: scalars,
        system: (inputs) => {
          expectTypeOf(inputs).toEqualTypeOf<Json>();
          return inputs.input;
        },
        scores: { Same: ({ expected }) => expected.expected === 'b' },
      }));
    void (() =>
      evaluate('P', { ...onServer, testcases: 'rows.csv', system: (inputs) => inputs.a }));
  });

  test('outputs as a record keeps them', () => {
    const answers = {
      text: () => 'yes',
      late: async () => ({
        at: new Date(),
        size: 1n,
        tags: new Set(['a']),
        by: new Map([['a', 1]]),
      }),
      parts: async function* () {
        yield { word: 'a' };
      },
    };
    void (() =>
      evaluate('P', {
        ...onServer,
        system: answers.text,
        scores: { Text: ({ outputs }) => outputs.output.length },
      }));
    void (() =>
      evaluate('P', {
        ...onServer,
        system: answers.late,
        scores: {
          Late: ({ outputs }) => {
            expectTypeOf(outputs).toEqualTypeOf<{
              at: string;
              size: number | string;
              tags: string[];
              by: Record<string, number>;
            }>();
            return true;
          },
        },
      }));
    void (() =>
      evaluate('P', {
        ...onServer,
        system: answers.parts,
        scores: { Parts: ({ outputs }) => outputs.output[0]?.word === 'a' },
      }));
  });
});

test('explicit types stand for all that nothing tells', () => {
  interface Question {
    question: string;
  }
  interface Answer {
    answer: string;
  }
  const run = () =>
    evaluate<Question, Answer, Answer>('P', {
      ...onServer,
      scores: { Same: ({ outputs, expected }) => outputs.answer === expected.answer },
      system: async ({ question }) => ({ answer: await ask(question) }),
    });
  // A function that takes any evaluation takes this one.
  expectTypeOf(run).returns.resolves.toExtend<Evaluation>();
  expectTypeOf<Awaited<ReturnType<typeof run>>>()
    .toHaveProperty('rows')
    .returns.toEqualTypeOf<ReturnType<Evaluation<Question, Answer, Answer>['rows']>>();
});

test('code without types compiles, and knows no types', () => {
  void (() => evaluate('P', { ...onServer, system: (inputs) => inputs }));
  void (() => evaluate('P', { ...onServer, system: () => 1, config: { v: 1 } }));
  void (() =>
    evaluate('P', {
      ...onServer,
      system: async ({ question }) => ({ answer: await ask(`${question}`) }),
      scores: {
        Same: ({ outputs, expected, error }) => {
          expectTypeOf(expected).toEqualTypeOf<Json>();
          expectTypeOf(error).toEqualTypeOf<SystemError | undefined>();
          return outputs.answer === expected.answer;
        },
      },
    }));
  // @ts-expect-error The testset says nothing of its fields: `question` may be anything.
  void (() => evaluate('P', { ...onServer, system: ({ question }) => ask(question) }));
  // @ts-expect-error A slip in an option.
  void (() => evaluate('P', { ...onServer, sistem: () => 1 }));
});

test('evaluates infers from its test and its rows', () => {
  void ((make: typeof evaluates) => {
    make('P', onServer, async ({ inputs }: { inputs: { question: string } }) =>
      ask(inputs.question),
    );
    make(
      'P',
      { ...onServer, testcases: [{ inputs: { question: 'a' }, expected: { answer: 'b' } }] },
      ({ inputs, expected, trial }) => {
        expectTypeOf(inputs).toEqualTypeOf<{ question: string }>();
        expectTypeOf(expected).toEqualTypeOf<{ answer: string }>();
        expectTypeOf(trial).toEqualTypeOf<number>();
      },
    );
    // @ts-expect-error The testset says nothing of its fields.
    make('P', onServer, async ({ inputs }) => ask(inputs.question));
    make<{ question: string }, { answer: string }>(
      'P',
      { ...onServer, scores: { Short: ({ outputs }) => outputs.answer.length < 9 } },
      async ({ inputs }) => ({ answer: await ask(inputs.question) }),
    );
  });
});

function expectFields(inputs: Json): unknown {
  return inputs;
}
