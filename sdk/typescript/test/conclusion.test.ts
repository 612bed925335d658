import { expect, test } from 'vitest';
import { conclude } from '../src/comparison.ts';
import type {
  Comparison,
  Evaluation,
  Json,
  MetricVerdict,
  ServerOptions,
} from '../src/evaluation.ts';
import { evaluateLocally } from '../src/local.ts';
import { shownLines } from '../src/notes.ts';
import { checkOptions } from '../src/options.ts';
import { describeProgress } from '../src/progress.ts';
import { reportLines } from '../src/report.ts';

const verdict = (own: Partial<MetricVerdict> = {}): MetricVerdict => ({
  name: 'M',
  paired: 40,
  recordsPerTestcase: { baseline: 1, candidate: 1 },
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

const finding = (outcome: 'passed' | 'worse' | 'unknown', ...reasons: string[]) => ({
  name: 'M',
  metric: undefined,
  summary: undefined,
  outcome,
  reasons,
  remarks: [],
  lacking: [],
});
const noErrors = { errors: undefined, outcome: 'passed' as const, reasons: [] };

test('an evaluation says why it does not pass, for each metric and for errors', () => {
  const errors = { errors: undefined, outcome: 'worse' as const, reasons: ['Too many.'] };
  const findings = [finding('worse', 'Lower.'), finding('unknown', 'Few.'), finding('passed')];
  expect(conclude({ findings, errors, outcome: 'worse' })).toEqual({
    outcome: 'worse',
    exitCode: 1,
    reason: '"M": Lower. "errors": Too many.',
  });
  expect(conclude({ findings, errors: noErrors, outcome: 'unknown' })).toEqual({
    outcome: 'unknown',
    exitCode: 2,
    reason: '"M": Few.',
  });
});

test('a first run that is within its limits passes, and says why nothing is compared', () => {
  const judged = { findings: [finding('passed')], errors: noErrors, outcome: 'passed' as const };
  expect(conclude(judged, 'A first run: The testset has no baseline.')).toEqual({
    outcome: 'passed',
    exitCode: 0,
    reason: 'A first run: The testset has no baseline.',
  });
});

test.each([
  [{ gate: { max: 1 } }, /^`gate` has no "max"; there is "maxRegression", "minPassRate"/],
  [{ gate: 0.02 }, /^`gate` must be an object/],
  [
    { gate: { minPassRate: 90 } },
    /^`minPassRate` of `gate` must be a share from 0 to 1 such as 0\.9, or a percentage such as "90%"/,
  ],
  [{ gate: { maxErrors: 'many' } }, /^`maxErrors` of `gate` must be a count such as 3/],
  [{ gate: { minPasses: 2 } }, /^`minPasses` of `gate` says what passes for `minPassRate`/],
  [
    { gate: { minPassRate: 0.9, minPasses: 2 } },
    /has 1 record: no testcase could pass\. Raise `trials`/,
  ],
  [{ trials: 3, gate: { minPassRate: 0.9, minPasses: 4 } }, /is 4, and a testcase has 3 records/],
  [{ metrics: 'Same' }, /^`metrics` must be a list of names or ids/],
  [{ baseline: ' ' }, /^`baseline` must be an id, a name, branch:NAME/],
])('an evaluation refuses options before it asks anybody: %j', (slip, sentence) => {
  const options = { system: () => ({}), testset: 'T', ...slip } as unknown as ServerOptions;
  expect(() => checkOptions('P', options)).toThrow(sentence);
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
    notes: shownLines(Array.from({ length: 9 }, (_, index) => ({ text: `Note ${index}.` }))),
    async *rows() {},
  };
  const lines = reportLines(evaluation, 'T');
  expect(lines[0]).toBe('T: 1,234 records, on 2 of which the system failed');
  expect(reportLines(evaluation, 'T', { kept: 66 })[0]).toBe(
    'T: 1,300 records, 1,234 of them answered now, on 2 of which the system failed',
  );
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
    system: ({ q }) => ({ a: String(q).toUpperCase() }),
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

test('the last row of a run alone says how often the system failed', async () => {
  const evaluation = await local({
    trials: 2,
    system: ({ q }: Json, { trial }: { trial: number }) => {
      if (q === 'a' && trial === 2) throw new Error('down');
      return { a: 1 };
    },
    scores: { Half: () => 0.5 },
  });
  expect(evaluation.errorRate).toMatchObject({ name: 'errors', count: 2, mean: 0.25, failed: 0 });
  const lines = reportLines(evaluation, 'T');
  expect(lines[3]).toMatch(/^Half +2 /);
  expect(lines[4]).toMatch(/^errors +2 +25\.0 % +– +0$/);
});

test.each([
  [{ metrics: [{ name: 'M', outputType: 'boolean', builtin: { name: 'nearly' } }] }, /nearly/],
  [{ metrics: [{ name: 'M', outputType: 'boolean', builtin: { name: 'json_schema' } }] }, /server/],
  [{ testcases: [{ inputs: 'a' }] }, /^Row 1 of `testcases` must have an object as its `inputs`/],
  [
    { testcases: '/nowhere.jsonl' },
    /^The testcases cannot be read from \/nowhere.jsonl \(ENOENT\)/,
  ],
])('a local evaluation refuses with a sentence: %j', async (more, sentence) => {
  await expect(local(more)).rejects.toThrow(sentence);
});
