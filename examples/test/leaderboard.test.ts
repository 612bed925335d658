import { describe, expect, test } from 'vitest';
import { bar } from '../src/bar.ts';
import type { EvaluatedVersion, MetricSummary } from '../src/evaluation.ts';
import { leaderboard } from '../src/leaderboard.ts';

const summary = (part: Partial<MetricSummary>) =>
  ({
    metricId: '',
    metricVersionId: '',
    name: 'Correct',
    outputType: 'boolean',
    count: 1319,
    records: 1319,
    failed: 0,
    mean: 286 / 1319,
    passRate: 286 / 1319,
    confidenceInterval: { low: 0.195, high: 0.24, level: 0.95 },
    ...part,
  }) as MetricSummary;
const grade: Partial<MetricSummary> = {
  name: 'Grade',
  outputType: 'int',
  mean: 4.25,
  confidenceInterval: { low: 4, high: 4.5, level: 0.95 },
};
const versions: EvaluatedVersion[] = [
  { name: 'small', runId: '', metrics: [summary({}), summary({ ...grade, failed: 12 })] },
  {
    name: 'a long name',
    runId: '',
    metrics: [
      summary({ mean: 742 / 1319 }),
      summary({ ...grade, mean: null, count: 0, records: 0, confidenceInterval: null }),
    ],
  },
];

describe('the leaderboard', () => {
  const lines = leaderboard({ versions });

  test('puts the best version of each metric first, under the name of the metric', () => {
    const names = lines.slice(1).map((line) => /^(\w*)\s+(small|a long name)/.exec(line)?.slice(1));
    expect(names).toEqual([
      ['Correct', 'a long name'],
      ['', 'small'],
      undefined,
      ['Grade', 'small'],
      ['', 'a long name'],
    ]);
  });

  test('counts passes exactly, and says what has no value', () => {
    expect(lines[1]).toContain('56.3 %  742 of 1,319');
    expect(lines[2]).toContain('21.7 %  286 of 1,319  19.5 – 24.0 %  1,319');
    expect(lines[5]).toMatch(/–.*–\s+0\s+0$/);
  });

  test('tells how many records a testcase had, where there are several', () => {
    const metrics = [summary({ count: 20, records: 95, mean: 0.8 })];
    const [, line] = leaderboard({ versions: [{ name: 'small', runId: '', metrics }] });
    expect(line).toMatch(/80\.0 % {2}of all records {2}.* 20 × 4\.8 {2}/);
  });

  test('is aligned: its last column ends at the same place in every row', () => {
    expect(new Set(lines.filter((line) => line !== '').map((line) => line.length)).size).toBe(1);
  });

  test('leaves the bars out where there is no room for them', () => {
    expect(leaderboard({ versions, width: 76 }).join('')).not.toMatch(/[█░]/);
    expect(Math.max(...leaderboard({ versions, width: 86 }).map((line) => line.length))).toBe(86);
  });
});

test.each([
  [0, '░░░░'],
  [0.5, '██░░'],
  [0.53125, '██▏░'],
  [1, '████'],
  [7, '████'],
])('a bar of %d is %s', (share, drawn) => expect(bar({ share, cells: 4 })).toBe(drawn));
