import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { MetricComparison } from '@assay/client/comparison';
import { verdictSentence } from '@assay/client/verdict-sentence';
import { expect, test } from 'vitest';

const run = promisify(execFile);
const folder = join(import.meta.dirname, '..');
const environment = { ...process.env, PYTHONPATH: folder, PYTHONDONTWRITEBYTECODE: '1' };
const python = (words: string[]) => run('python3', words, { cwd: folder, env: environment });

/** Without Python there is nothing to try; CI must have one. */
const hasPython = await python(['--version']).then(
  () => true,
  () => Boolean(process.env.CI),
);

test.runIf(hasPython)('the unit tests of the Python package pass', async () => {
  const { stderr } = await python(['-m', 'unittest', 'discover', '-s', 'test']);
  expect(stderr).toMatch(/^Ran (1[5-9]|[2-9]\d) tests[\s\S]*\nOK\n$/m);
});

const metric = (own: object): MetricComparison =>
  ({
    outputType: 'boolean',
    paired: 1319,
    difference: -0.043,
    confidenceInterval: { low: -0.071, high: -0.015, level: 0.95 },
    adjustedPValue: 0.0027,
    verdict: 'worse',
    ...own,
  }) as MetricComparison;

const interval = (low: number, high: number) => ({ low, high, level: 0.9 });
const metrics = [
  metric({}),
  metric({ verdict: 'better', difference: 0.043, confidenceInterval: interval(0.01, 0.08) }),
  metric({ verdict: 'undecided', adjustedPValue: 1, confidenceInterval: interval(-0.1, 0.02) }),
  metric({ outputType: 'float', adjustedPValue: 2.4e-36 }),
  metric({ paired: 1, difference: null, confidenceInterval: null, adjustedPValue: null }),
  metric({
    calibrated: {
      ...{ difference: 0.01, confidenceInterval: interval(-0.02, 0.04), adjustedPValue: 0.5 },
      ...{ verdict: 'undecided', labels: 100 },
    },
  }),
];

test('the sentence of a verdict is that of the console', () => {
  expect(verdictSentence(metrics[0]!, 'Atlas v4')).toBe(
    'Worse: Atlas v4 is 4.3 points lower (95 % interval 7.1 to 1.5 lower; adjusted p 0.0027; 1,319 pairs).',
  );
});

test.runIf(hasPython)('Python says a verdict in the words of TypeScript', async () => {
  const code =
    'import json, sys; from assay._comparison import _verdict_of\nfor metric in json.loads(sys.argv[1]): print(_verdict_of({"name": "", "baselineMean": None, "candidateMean": None, **metric}).sentence)';
  const { stdout } = await python(['-c', code, JSON.stringify(metrics)]);
  expect(stdout.trim().split('\n')).toEqual(
    metrics.map((each) => verdictSentence(each, 'this run')),
  );
});
