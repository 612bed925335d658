import type { Language } from './clients.ts';

/** Code of users in each language. */
export type Code = Record<Language, string>;

/** What goes wrong on six of the twelve testcases of a candidate, and what is told of it. */
export interface Accident {
  /** As docs/reading-a-comparison.md names it, and as its project is named. */
  what: string;
  /** Whose metric "Right" is: a judge's or a scorer's of the evaluation; else an evaluator's. */
  scoredBy?: 'judge' | 'scorer';
  /** Of the candidate's system on six of the testcases; on the others it is right. */
  system?: Code;
  scorer?: Code;
  options?: Code;
  /** Six testcases get other inputs before the candidate runs. */
  areEdited?: true;
  summary: SummaryTold;
  comparison: ComparisonTold;
  gate: GateTold;
}

/** A run's summary, of the metric "Right". */
export interface SummaryTold {
  mean: number;
  testcases: number;
  /** Those that are not 0. */
  counts?: Record<string, number>;
  warning?: string;
}

/** A comparison, of the same metric: every face repeats it. */
export interface ComparisonTold {
  verdict: 'worse' | 'undecided';
  pairs: number;
  /** The part of the testset that the candidate is over. */
  part?: string;
  warnings: string[];
}

/** The exit code, also that of `evaluate`, and how the sentence on the metric begins. */
export interface GateTold {
  exitCode: 0 | 1 | 2;
  sentence: string;
}

const both = (TypeScript: string, Python: string): Code => ({ TypeScript, Python });

const onHalf = (typescript: string, python: string): Code =>
  both(`if (inputs.number % 2 === 1) { ${typescript} }`, `if inputs["number"] % 2 == 1: ${python}`);

const lower = 'Worse: the candidate is 50.0 points lower';
const notWorse = 'Not worse: 0 of 1 metric better, 1 undecided.';
const lacking = (kind: string, worse: string): GateTold => ({
  exitCode: 2,
  sentence: `the candidate run lacks 6 scores (6 ${kind}). If they spoke against the candidate: ${worse}`,
});

const failedSystem: Pick<Accident, 'summary' | 'comparison' | 'gate'> = {
  summary: {
    mean: 0.5,
    testcases: 12,
    counts: { errored: 6 },
    warning: 'errors_counted',
  },
  comparison: { verdict: 'worse', pairs: 12, warnings: ['errors_counted'] },
  gate: { exitCode: 1, sentence: lower },
};

const unknown: ComparisonTold = {
  verdict: 'undecided',
  pairs: 6,
  warnings: ['unscored_testcases', 'unpaired_testcases'],
};

/** The table of docs/reading-a-comparison.md. */
export const accidents: Accident[] = [
  {
    what: 'The system throws an exception',
    system: onHalf("throw new TypeError('down');", 'raise TypeError("down")'),
    ...failedSystem,
  },
  {
    what: 'The system gives no answer in time',
    system: onHalf('await new Promise(() => {});', 'await asyncio.sleep(3600)'),
    options: both('timeoutMs: 5000,', 'timeout_ms=5000,'),
    ...failedSystem,
  },
  {
    what: 'The system answers null, in which the evaluator finds nothing',
    system: onHalf('return null;', 'return None'),
    summary: { mean: 1, testcases: 6, counts: { failed: 6 } },
    comparison: unknown,
    gate: lacking('failed', lower),
  },
  {
    what: 'The judge fails',
    scoredBy: 'judge',
    system: onHalf("return { answer: 'no verdict' };", 'return {"answer": "no verdict"}'),
    summary: { mean: 1, testcases: 6, counts: { failed: 6 } },
    comparison: unknown,
    gate: lacking('failed', `By the judge alone. ${lower}`),
  },
  {
    what: 'A score does not fit its metric',
    scoredBy: 'scorer',
    scorer: both('inputs.number % 2 === 1 ? 7 : 1', '7 if inputs["number"] % 2 == 1 else 1'),
    summary: { mean: 1, testcases: 6, counts: { invalid: 6 } },
    comparison: unknown,
    gate: lacking('invalid', 'Worse: the candidate is 0.500 lower'),
  },
  {
    what: 'The evaluator says that its metric does not apply',
    scoredBy: 'scorer',
    scorer: both('inputs.number % 2 === 1 ? null : 1', 'None if inputs["number"] % 2 == 1 else 1'),
    summary: { mean: 1, testcases: 6, counts: { notApplicable: 6 } },
    comparison: { verdict: 'undecided', pairs: 6, warnings: ['applicability_differs'] },
    gate: { exitCode: 0, sentence: notWorse },
  },
  {
    what: 'The run is over a sample of the testset',
    options: both('sample: 6, seed: 3,', 'sample=6, seed=3,'),
    summary: { mean: 1, testcases: 6 },
    comparison: {
      verdict: 'undecided',
      pairs: 6,
      part: 'on 6 of 12 testcases',
      warnings: ['unpaired_testcases'],
    },
    gate: { exitCode: 0, sentence: notWorse },
  },
  {
    what: 'The system is asked twice, and is wrong once',
    system: onHalf(
      "if (context.trial === 2) return { answer: 'wrong' };",
      'return {"answer": "wrong" if context.trial == 2 else "right"}',
    ),
    options: both('trials: 2,', 'trials=2,'),
    summary: { mean: 0.75, testcases: 12, counts: { flaky: 6 } },
    comparison: { verdict: 'worse', pairs: 12, warnings: ['repeats_differ'] },
    gate: { exitCode: 1, sentence: 'Worse: the candidate is 25.0 points lower' },
  },
  {
    what: 'Testcases are edited between the runs',
    areEdited: true,
    summary: { mean: 1, testcases: 12 },
    comparison: { verdict: 'undecided', pairs: 12, warnings: ['testcases_differ'] },
    gate: { exitCode: 0, sentence: notWorse },
  },
];

/** The same as the lines of a table in Markdown. */
export const accidentLines = (): string[] => [
  '| what happened | summary | comparison | exit | gate |',
  '| --- | --- | --- | --- | --- |',
  ...accidents.map(({ what, summary, comparison, gate }) => {
    const ofRuns = [summaryCell(summary), comparisonCell(comparison)];
    return `| ${[what, ...ofRuns, gate.exitCode, gate.sentence].join(' | ')} |`;
  }),
];

const code = (text: string): string => `\`${text}\``;

const summaryCell = ({ mean, testcases, counts = {}, warning }: SummaryTold): string =>
  [
    `mean ${mean} of ${testcases} testcases`,
    ...Object.entries(counts).map(([name, count]) => `${code(name)} ${count}`),
    ...(warning === undefined ? [] : [code(warning)]),
  ].join(', ');

const comparisonCell = ({ verdict, pairs, part, warnings }: ComparisonTold): string =>
  [verdict, `${pairs} pairs`, ...(part === undefined ? [] : [part]), ...warnings.map(code)].join(
    ', ',
  );
