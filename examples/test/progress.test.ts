import { describe, expect, test } from 'vitest';
import { describeProgress, showProgress } from '../src/progress.ts';

const run = {
  numRecords: 100,
  numExpectedRecords: 200,
  scoring: { expected: 300, scored: 40, failed: 10, pending: 250 },
};

describe('progress', () => {
  const counts = {
    runs: [run, run],
    recordsExpected: 400,
    scoresExpected: 1200,
    elapsedMs: 12_300,
  };

  test('adds up the runs, and counts failed scores as made', () => {
    expect(describeProgress(counts)).toContain('200 of 400 records · 100 of 1,200 scores · 12 s');
  });

  test('says why it waits', () => {
    expect(describeProgress({ ...counts, waiting: '503' })).toMatch(/ · waiting: 503$/);
  });

  test('takes one line of a terminal however narrow, and leaves nothing on it', () => {
    const written: string[] = [];
    const screen = { isTTY: true, columns: 20, write: (text: string) => written.push(text) };
    showProgress({ screen, describe: () => 'x'.repeat(50) }).stop();
    expect(written[0]!.match(/x+/)![0]).toHaveLength(19);
    expect(written.at(-1)).toBe('\r\x1b[J');
  });
});
