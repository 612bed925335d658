import { expect, test } from 'vitest';
import type { Comparison } from '../figures.ts';
import { judgeComparison, judgeFirstRun, type RunSummary } from '../gate/gate.ts';
import { isAllowance, isShare, type Limits, type Voice } from '../gate/limits.ts';
import examples from './gate.json' with { type: 'json' };

/** A case of the table: what differs from the metric, the errors and the summary of all. */
interface Case {
  name: string;
  metric?: object;
  /** The metric with unknown scores against the candidate; the comparison has one where it is there. */
  filled?: object;
  errors?: object;
  summary?: object;
  summaryErrors?: object;
  limits?: Record<string, number | string>;
  named?: string[];
  isFirst?: boolean;
  outcome: string;
  reasons: string[];
  lacking: string[];
  errorReasons: string[];
}

/** The names of the Python package, which reads the same table. */
const names: Record<keyof Limits, string> = {
  minPassRate: 'min_pass_rate',
  minPasses: 'min_passes',
  maxRegression: 'max_regression',
  maxErrors: 'max_errors',
  allowMissing: 'allow_missing',
};
const voice: Voice = { candidate: 'this run', options: names };

function judged(example: Case) {
  const limits: Limits = Object.fromEntries(
    Object.entries(names).map(([name, python]) => [name, example.limits?.[python]]),
  );
  const options = { limits, voice, namedIds: example.named };
  const summary = {
    metrics: [{ ...examples.summary, ...example.summary }],
    errors: { ...examples.summaryErrors, ...example.summaryErrors },
  } as unknown as RunSummary;
  if (example.isFirst) return judgeFirstRun(summary, options);
  const compared = (own?: object) =>
    ({
      metrics: [{ ...examples.metric, ...own }],
      errors: { ...examples.errors, ...example.errors },
    }) as unknown as Comparison;
  const filled = example.filled ? compared({ ...example.metric, ...example.filled }) : undefined;
  return judgeComparison({ comparison: compared(example.metric), filled, summary }, options);
}

test.each(examples.cases as unknown as Case[])('the gate: $name', (example) => {
  const { outcome, findings, errors } = judged(example);
  const [{ reasons, lacking }] = findings as [(typeof findings)[number]];
  expect({ outcome, reasons, lacking, errorReasons: errors.reasons }).toEqual({
    outcome: example.outcome,
    reasons: example.reasons,
    lacking: example.lacking,
    errorReasons: example.errorReasons,
  });
});

test.each([
  ['a share', isShare, examples.shares],
  ['an allowance', isAllowance, examples.allowances],
])('%s is a number of its kind, or a percentage as text', (_name, has, { taken, refused }) => {
  expect(taken.filter((value) => !has(value))).toEqual([]);
  expect([...refused, null].filter(has)).toEqual([]);
});
