import { describe, expect, test } from 'vitest';
import type { Scorer, ScorerScale } from '../src/evaluation.ts';
import type { CallResult } from '../src/execution.ts';
import { createScorers, problemNotes, scoreBody } from '../src/scorers.ts';

const result = (error?: CallResult['error']): CallResult => ({
  testcase: { inputs: { q: 1 }, expected: {}, metadata: {} },
  trial: 1,
  outputs: { a: 1 },
  notes: [],
  attempts: 1,
  latencyMs: 1,
  ...(error ? { error } : {}),
});

/** The metric and the bodies of a scorer that returns these values, one a record. */
async function scored(values: unknown[], scale?: ScorerScale) {
  const waiting = [...values];
  const scorer = (() => waiting.shift()) as Scorer;
  const scorers = createScorers({ S: scale ? { scorer, ...scale } : scorer });
  const scores = [];
  for (const _ of values) scores.push((await scorers.score(result()))[0]!);
  scorers.settle();
  const metric = scorers.metricOf('S');
  const bodies = scores.map((score) => scoreBody(score, metric ?? { outputType: 'float' }));
  return { metric, bodies, scorers, notes: problemNotes(scorers).map(({ text }) => text) };
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
    expect((await scored(values)).metric?.outputType).toBe(type);
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

test.each([['good'], [Number.NaN], [undefined], [{}]])(
  'a scorer that returns %j has failed on that record, and on no other',
  async (value) => {
    const { bodies, scorers } = await scored([value, true]);
    expect(bodies[0]!.reasoning).toMatch(/^The scorer returned .*: a score is true or false/);
    expect(bodies[1]).toEqual({ binaryScore: true });
    expect(scorers.problems.get('S')!.count).toBe(1);
  },
);

describe('the scale of a scorer', () => {
  const bleu = { min: 0, max: 100 };

  test('is named beside it, before any value is there', async () => {
    const scorers = createScorers({ BLEU: { scorer: () => 37.2, ...bleu } });
    expect(scorers.areKnown()).toBe(true);
    expect(scorers.metricOf('BLEU')).toEqual({ outputType: 'float', ...bleu });
  });

  test('is named by its first answer', async () => {
    const { metric, bodies } = await scored([{ score: 37.2, ...bleu }, { score: 80 }, 3]);
    expect(metric).toEqual({ outputType: 'float', ...bleu });
    expect(bodies).toEqual([{ floatScore: 37.2 }, { floatScore: 80 }, { floatScore: 3 }]);
  });

  test('may be a direction alone, and an end may be missing', async () => {
    expect((await scored([true], { lowerIsBetter: true })).metric).toEqual({
      outputType: 'boolean',
      lowerIsBetter: true,
    });
    const { metric } = await scored([842], { min: 1, max: null, lowerIsBetter: true });
    expect(metric).toEqual({ outputType: 'float', min: 1, max: null, lowerIsBetter: true });
  });

  test.each([[37.2], [7], [1.5], [-1]])(
    'is asked for where the first value is %j and none is named',
    async (value) => {
      await expect(scored([value])).rejects.toThrow(
        `The scorer "S" returned ${value}. Where no scale is named, a score is true or false, a number from 0 to 1, or a whole number from 1 to 5. Name its scale: scores: { "S": { scorer, min: 0, max: 100 } }.`,
      );
    },
  );

  test('a later value outside of it is stored as it is, counted, and told with the remedy', async () => {
    const { bodies, scorers, notes } = await scored([0.5, 37.2, 0.7, 40]);
    expect(bodies[1]).toEqual({ value: 37.2 });
    expect(scorers.outsideOf('S')).toBe(2);
    expect(notes).toEqual([
      '2 scores of "S" do not fit, and are in no mean: a score of it is a number from 0 to 1, and the first is 37.2. Name its scale: scores: { "S": { scorer, min: 0, max: 100 } }.',
    ]);
  });

  test('is refused where it is none, and where two are named', async () => {
    await expect(scored([1], { min: 5, max: 2 })).rejects.toThrow(
      /The scale of "S": \/max leaves no/,
    );
    await expect(
      scored([
        { score: 3, ...bleu },
        { score: 3, max: 10 },
      ]),
    ).rejects.toThrow('The scorer "S" names two scales: it had max 100, not 10.');
  });

  test('is that of the metric of the project, and another one is refused', () => {
    const scorers = createScorers({ S: { scorer: () => 1, ...bleu } });
    expect(() => scorers.setMetric('S', { outputType: 'float' })).toThrow(
      'The metric "S" of the project has max 1, not 100: change the metric, or give the scorer in `scores` another name.',
    );
    scorers.setMetric('S', { outputType: 'float', ...bleu });
    expect(scorers.metricOf('S')).toEqual({ outputType: 'float', ...bleu });
  });
});

test('scores of autoevals are read with their rationale', async () => {
  const { bodies } = await scored([
    { name: 'Factuality', score: 0.6, metadata: { rationale: 'A part of it.', choice: 'B' } },
    { name: 'Factuality', score: null, metadata: {} },
  ]);
  expect(bodies).toEqual([
    { floatScore: 0.6, reasoning: 'A part of it.' },
    { value: null, reasoning: 'Does not apply.' },
  ]);
});

test('whatever a scorer throws is its failure', async () => {
  const scorers = createScorers({
    Odd: () => {
      throw Object.create(null);
    },
    Long: () => {
      throw new Error(`\ud800${'m'.repeat(1_000_000)}`);
    },
  });
  const [odd, long] = (await scorers.score(result())).map(({ problem }) => problem!);
  expect(odd).toMatch(/^The scorer failed: Error: /);
  expect(long!.length).toBeLessThanOrEqual(10_000);
  expect(long!.isWellFormed()).toBe(true);
});

test('a scorer that throws has failed, and nobody scores a record on which the system did', async () => {
  const scorers = createScorers({
    S: () => {
      throw new TypeError('no such field');
    },
  });
  const [thrown] = await scorers.score(result());
  expect(thrown!.problem).toBe('The scorer failed: TypeError: no such field');
  expect(scorers.firstStack()).toMatch(/^TypeError: no such field\n\s+at .*scorers\.test\.ts/);
  expect(scorers.firstStack()).not.toContain('/src/');
  expect(problemNotes(scorers)[0]!.text).toBe(
    'The scorer "S" failed on 1 record, and gave no score there (counted as invalid). The scorer failed: TypeError: no such field',
  );
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
