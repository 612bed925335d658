import { expect, test } from 'vitest';
import { conclude } from '../src/comparison.ts';
import type { Comparison, Evaluation, MetricVerdict } from '../src/evaluation.ts';
import { evaluateLocally } from '../src/local.ts';
import { describeProgress } from '../src/progress.ts';
import { reportLines } from '../src/report.ts';

const verdict = (own: Partial<MetricVerdict> = {}): MetricVerdict => ({
  name: 'M',
  paired: 40,
  decidedBy: 'scores',
  verdict: 'undecided',
  difference: -0.01,
  confidenceInterval: null,
  adjustedPValue: 0.5,
  baselineMean: 0.8,
  candidateMean: 0.79,
  sentence: 'Undecided: so.',
  ...own,
});
const comparison = (...metrics: MetricVerdict[]): Comparison => ({
  baselineRunId: 'b',
  metrics,
  warnings: [],
  link: 'http://x/compare',
});

test.each([
  ['passed', 0, {}, [verdict()]],
  ['worse', 1, {}, [verdict(), verdict({ verdict: 'worse' })]],
  ['worse', 1, { maxRegression: 0.005 }, [verdict()]],
  ['passed', 0, { maxRegression: 0.1 }, [verdict({ difference: 0.7 - 0.8 })]],
  ['unknown', 2, {}, [verdict(), verdict({ adjustedPValue: null })]],
  ['worse', 1, {}, [verdict({ verdict: 'worse' }), verdict({ adjustedPValue: null })]],
] as const)(
  'an evaluation is %s, with exit code %i, under the gate %j',
  (outcome, exitCode, gate, metrics) => {
    expect(conclude(comparison(...metrics), gate)).toMatchObject({ outcome, exitCode });
  },
);

test('an evaluation without a comparison is unknown, with the reason', () => {
  const reason = 'Nothing there.';
  expect(conclude(reason)).toEqual({ outcome: 'unknown', exitCode: 2, reason });
});

test('the report steers no terminal, and its table fits eighty columns', () => {
  const name = `\u001b[2J${'long name '.repeat(10)}`;
  const metric = { name, outputType: 'boolean', count: 1, failed: 0 } as const;
  const evaluation: Evaluation = {
    runId: 'r',
    link: 'http://x',
    records: 1234,
    errors: 2,
    metrics: [{ ...metric, mean: 0.5, passRate: 0.5, confidenceInterval: null }],
    comparison: comparison(verdict({ name })),
    outcome: 'passed',
    exitCode: 0,
    reason: '',
  };
  const lines = reportLines(evaluation, {
    title: 'T',
    notes: Array.from({ length: 9 }, (_, index) => ({ text: `Note ${index}.` })),
  });
  expect(lines[0]).toBe('T: 1,234 records, on 2 of which the system failed');
  expect(lines.join('')).not.toMatch(/\p{Cc}/u);
  expect(lines.slice(2, 4).every((line) => line.length <= 80)).toBe(true);
  expect(lines).toContain('(4 more)');
});

test('progress tells what is known', () => {
  const state = { records: 5, recordsExpected: undefined, errors: 0 };
  expect(describeProgress({ ...state, scoring: undefined, waiting: undefined })).toBe('5 records');
  expect(
    describeProgress({
      records: 5,
      recordsExpected: 10,
      errors: 1,
      scoring: { expected: 4, scored: 2, failed: 1 },
      waiting: 'no answer',
    }),
  ).toBe('5 of 10 records · 1 failed · 3 of 4 scores · waiting: no answer');
});

const local = (more: object) =>
  evaluateLocally('P', {
    local: true,
    quiet: true,
    testcases: [
      { inputs: { q: 'a' }, expected: { a: 'A' } },
      { inputs: { q: 'b' }, expected: { a: 'x' } },
    ],
    system: ({ q }) => ({ a: q.toUpperCase() }),
    ...more,
  });

test('a local evaluation has the values of built-in evaluators and of own scorers', async () => {
  const builtin = { name: 'exact_match', options: {} };
  const { metrics, outcome } = await local({
    metrics: [{ name: 'Same', outputType: 'boolean', builtin }],
    scores: { Half: () => 0.5 },
    trials: 2,
  });
  expect(metrics).toMatchObject([
    { name: 'Half', outputType: 'float', count: 2, failed: 0, mean: 0.5, passRate: 0 },
    { name: 'Same', outputType: 'boolean', count: 2, failed: 0, passRate: 0.5 },
  ]);
  expect(outcome).toBe('unknown');
});

test.each([
  [{ metrics: [{ name: 'M', outputType: 'boolean', builtin: { name: 'nearly' } }] }, /nearly/],
  [{ metrics: [{ name: 'M', outputType: 'boolean', builtin: { name: 'json_schema' } }] }, /server/],
  [{ testcases: [{ inputs: 'a' }] }, /^Testcase 1 must have `inputs`/],
  [
    { testcases: '/nowhere.jsonl' },
    /^The testcases cannot be read from \/nowhere.jsonl \(ENOENT\)/,
  ],
])('a local evaluation refuses with a sentence: %j', async (more, sentence) => {
  await expect(local(more)).rejects.toThrow(sentence);
});
