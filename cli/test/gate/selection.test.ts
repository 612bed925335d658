import { describe, expect, test } from 'vitest';
import type { Side as JudgedSide } from '../../src/gate/runs.ts';
import { selectMetrics } from '../../src/gate/selection.ts';

type Side = Pick<JudgedSide, 'role' | 'metrics'>;

const side = (role: Side['role'], metrics: [id: string, name: string][]): Side => ({
  role,
  metrics: metrics.map(([metricId, name]) => ({
    metricId,
    metricVersionId: `${metricId}-1`,
    name,
    evalType: 'heuristic',
    records: 1,
    failed: 0,
    passRate: 1,
  })) as Side['metrics'],
});
const baseline = side('baseline', [
  ['a', 'Correct'],
  ['b', 'Short'],
  ['c', 'Old'],
]);
const candidate = side('candidate', [
  ['b', 'Brief'],
  ['a', 'Correct'],
  ['a', 'Correct'],
  ['d', 'New'],
]);
const select = (...wanted: string[]) => selectMetrics({ wanted, baseline, candidate });

describe('metrics', () => {
  test('that both runs have are compared where none is named, and the others told', () => {
    expect(select()).toEqual({
      metricIds: ['b', 'a'],
      notCompared: [
        { name: 'Old', role: 'baseline' },
        { name: 'New', role: 'candidate' },
      ],
    });
  });

  test('are found by id, by name, and by the name that they had, each once', () => {
    expect(select('Short', 'a', 'Brief', 'Correct').metricIds).toEqual(['b', 'a']);
  });

  test('that neither run has are refused with the names that there are', () => {
    expect(() => select('Corect')).toThrow('There is no metric "Corect". Did you mean "Correct"?');
  });

  test('that one run has are refused, and which one it is', () => {
    expect(() => select('New')).toThrow(
      'Only the candidate run has the metric "New"; both have "Short", "Correct".',
    );
  });

  test('of one name are refused with their ids', () => {
    const twins: [string, string][] = [
      ['a', 'Correct'],
      ['b', 'Correct'],
    ];
    const runs = { baseline: side('baseline', twins), candidate: side('candidate', twins) };
    expect(() => selectMetrics({ wanted: ['Correct'], ...runs })).toThrow(
      '2 metrics are called "Correct": give an id, a or b.',
    );
    expect(selectMetrics({ wanted: ['b'], ...runs }).metricIds).toEqual(['b']);
  });

  test('that the runs do not share cannot be compared', () => {
    const other = side('candidate', [['x', 'Other']]);
    expect(() => selectMetrics({ wanted: [], baseline, candidate: other })).toThrow(
      'The runs have no metric in common.',
    );
  });
});

describe('what records took of the system', () => {
  test('is compared by its name, also where the runs share no metric', () => {
    expect(select('latency', 'Correct').metricIds).toEqual(['latency', 'a']);
    const [one, other] = [side('baseline', []), side('candidate', [])];
    const alone = (...wanted: string[]) =>
      selectMetrics({ wanted, baseline: one, candidate: other });
    expect(alone('cost').metricIds).toEqual(['cost']);
    expect(() => alone('cost', 'Correct')).toThrow('no metric in common');
  });

  test('gives way to a metric of that name', () => {
    const named = (role: Side['role']) => side(role, [['m', 'latency']]);
    const found = selectMetrics({
      wanted: ['latency'],
      baseline: named('baseline'),
      candidate: named('candidate'),
    });
    expect(found.metricIds).toEqual(['m']);
  });
});
