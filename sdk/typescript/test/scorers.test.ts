import { describe, expect, test } from 'vitest';
import type { Scorer } from '../src/evaluation.ts';
import type { CallResult } from '../src/execution.ts';
import { createScorers, scoreBody } from '../src/scorers.ts';

const result = (error?: CallResult['error']): CallResult => ({
  testcase: { inputs: { q: 1 }, expected: {} },
  trial: 1,
  outputs: { a: 1 },
  notes: [],
  attempts: 1,
  latencyMs: 1,
  ...(error ? { error } : {}),
});

/** The type and the bodies of a scorer that returns these values, one a record. */
async function scored(values: unknown[]) {
  const waiting = [...values];
  const scorers = createScorers({ S: (() => waiting.shift()) as Scorer });
  const scores = [];
  for (const _ of values) scores.push((await scorers.score(result()))[0]!);
  scorers.settle();
  const type = scorers.typeOf('S');
  return { type, bodies: scores.map((score) => scoreBody(score, type ?? 'float')), scorers };
}

describe('the first value of a scorer that tells', () => {
  test.each([
    ['boolean', [null, true, false]],
    ['int', [1, 1, 3]],
    ['float', [1, 0.5]],
    ['float', [0]],
    ['float', [1, 1]],
    [undefined, [null]],
  ])('makes its metric %s: %j', async (type, values) => {
    expect((await scored(values)).type).toBe(type);
  });
});

test('a score has the field of its type, its reasoning, and null for what does not apply', async () => {
  const { bodies } = await scored([{ value: 3, reasoning: 'why' }, null, 1]);
  expect(bodies).toEqual([
    { intScore: 3, reasoning: 'why' },
    { value: null, reasoning: 'Does not apply.' },
    { intScore: 1 },
  ]);
});

test('a value of another type is stored as it is, for the service to say so', async () => {
  expect((await scored([true, 0.5])).bodies[1]).toEqual({ value: 0.5 });
});

test.each([[7], ['good'], [Number.NaN], [1.5], [undefined], [{}]])(
  'a scorer that returns %j has failed on that record, and on no other',
  async (value) => {
    const { bodies, scorers } = await scored([value, true]);
    expect(bodies[0]!.reasoning).toMatch(/^The scorer returned .*: a score is true or false/);
    expect(bodies[1]).toEqual({ binaryScore: true });
    expect(scorers.problems.get('S')!.count).toBe(1);
  },
);

test('a scorer that throws has failed, and nobody scores a record on which the system did', async () => {
  const scorers = createScorers({
    S: () => {
      throw new TypeError('no such field');
    },
  });
  const [thrown] = await scorers.score(result());
  expect(thrown!.problem).toBe('The scorer failed: TypeError: no such field');
  expect(await scorers.score(result({ name: 'E', message: 'm' }))).toEqual([]);
  expect(scorers.problems.get('S')!.count).toBe(1);
});

test('a scorer that changes what it gets changes nothing of the record', async () => {
  const scorers = createScorers({
    S: ({ outputs }) => {
      outputs.a = 2;
      return true;
    },
  });
  const own = result();
  await scorers.score(own);
  expect(own.outputs).toEqual({ a: 1 });
});

test('where the system failed, only scorers are called that take the error', async () => {
  const called: string[] = [];
  const scorers = createScorers({
    answer: ({ outputs }) => {
      called.push(`answer ${JSON.stringify(outputs)}`);
      return true;
    },
    whole: (record) => {
      called.push(`whole ${JSON.stringify(record.outputs)}`);
      return true;
    },
    kind({ error }) {
      called.push(`kind ${error?.name}`);
      return error === undefined;
    },
  });
  const scores = await scorers.score(result({ name: 'TimeoutError', message: 'late' }));
  expect(called).toEqual(['kind TimeoutError']);
  expect(scores).toMatchObject([{ name: 'kind', value: false }]);
});
