import { expect, test } from 'vitest';
import { stoppingSentence } from '../src/pages/run/stopping-sentence.ts';

const run = {
  status: 'running_scoring' as const,
  numRecords: 100,
  numExpectedRecords: 100,
  stopWhen: { level: 0.95, futility: false, metricId: 'm' },
  decision: null,
};
const decision = {
  outcome: 'better' as const,
  reason: 'decided' as const,
  at: '2026-01-01T00:00:00.000Z',
  pairs: 40,
  judgementsSaved: 60,
};

test('a run that may stop says when judges are asked, what was decided and what it saved', () => {
  expect(stoppingSentence({ ...run, stopWhen: undefined })).toBeUndefined();
  expect(stoppingSentence({ ...run, numRecords: 1 })).toContain('once all records are there');
  expect(stoppingSentence(run)).toContain('in a random order');
  expect(stoppingSentence({ ...run, decision })).toBe(
    'Decided after 40 testcases: better than the baseline. 60 judgements did not have to be made.',
  );
  const undecided = { ...decision, outcome: 'undecided' as const };
  expect(stoppingSentence({ ...run, decision: { ...undecided, reason: 'futile' } })).toBe(
    'Stopped after 40 testcases: the others could not have decided it. 60 judgements did not have to be made.',
  );
  const all = { ...undecided, reason: 'all_judged' as const, pairs: 100, judgementsSaved: 0 };
  expect(stoppingSentence({ ...run, decision: all })).toBe(
    'All is judged, and nothing is decided: 100 testcases compared with the baseline.',
  );
});
