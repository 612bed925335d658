import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { statusOfFailure } from '@assay/contracts/failure';
import { comparisonWarning } from '@assay/contracts/results';
import { failureCode } from '@assay/contracts/run-records';
import { expect, test } from 'vitest';
import { root } from './imports.ts';

/** The rows of each table of a page, as their cells. */
const tablesOf = (page: string): string[][][] =>
  readFileSync(join(root, page), 'utf8')
    .split(/\n(?!\|)/)
    .map((part) => part.split('\n').filter((line) => line.startsWith('|')))
    .filter((lines) => lines.length > 0)
    .map((lines) =>
      lines.slice(2).map((line) =>
        line
          .slice(1, -1)
          .split('|')
          .map((cell) => cell.trim()),
      ),
    );
const [failures, scoreFailures] = tablesOf('docs/errors.md') as [string[][], string[][]];

test('docs/errors.md has every failure code with its status, and no other', () => {
  const written = Object.fromEntries(
    failures.map(([code, status]) => [code!.replaceAll('`', ''), Number(status)]),
  );
  expect(written).toEqual(statusOfFailure);
  expect(failures).toHaveLength(Object.keys(statusOfFailure).length);
});

test('docs/errors.md has every code of a score that failed, and no other', () => {
  expect(scoreFailures.map(([code]) => code!.replaceAll('`', '')).toSorted()).toEqual(
    [...failureCode.options].toSorted(),
  );
});

test('docs/reading-a-comparison.md says of every warning what to do, and of no other', () => {
  const { options } = comparisonWarning.shape.code;
  const isOfWarnings = (rows: string[][]) => rows.some(([code]) => code === '`testcases_differ`');
  const [warnings = []] = tablesOf('docs/reading-a-comparison.md').filter(isOfWarnings);
  expect(warnings.flatMap(([code]) => code!.replaceAll('`', '').split(', ')).toSorted()).toEqual(
    [...options].toSorted(),
  );
});

test('every row says when, and what to do', () => {
  const sentences = [
    ...failures.map((row) => row.slice(2)),
    ...scoreFailures.map((row) => row.slice(1)),
  ];
  for (const row of sentences)
    expect(row).toEqual([
      expect.stringMatching(/^[A-Z].*\.$/),
      expect.stringMatching(/^[A-Z].*\.$/),
    ]);
});
