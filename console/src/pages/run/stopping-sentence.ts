import { countOf } from '../../text/format.ts';
import type { RunReply } from './use-live-run.ts';

type StoppingRun = Pick<
  RunReply,
  'stopWhen' | 'decision' | 'status' | 'numRecords' | 'numExpectedRecords'
>;

/** What a run that may stop early has come to; undefined for other runs. */
export function stoppingSentence({
  stopWhen,
  decision,
  numRecords,
  numExpectedRecords,
}: StoppingRun): string | undefined {
  if (!stopWhen) return undefined;
  if (!decision)
    return numRecords < (numExpectedRecords ?? 0)
      ? 'Judges are asked once all records are there, until the comparison with the baseline is decided.'
      : 'Judges are asked in a random order, until the comparison with the baseline is decided.';
  const { outcome, reason, pairs, judgementsSaved } = decision;
  const saved =
    judgementsSaved > 0 ? ` ${countOf(judgementsSaved, 'judgement')} did not have to be made.` : '';
  switch (reason) {
    case 'decided':
      return `Decided after ${countOf(pairs, 'testcase')}: ${outcome} than the baseline.${saved}`;
    case 'futile':
      return `Stopped after ${countOf(pairs, 'testcase')}: the others could not have decided it.${saved}`;
    case 'all_judged':
      return `All is judged, and nothing is decided: ${countOf(pairs, 'testcase')} compared with the baseline.`;
    case 'not_comparable':
      return 'All is judged: the baseline could not be compared any more.';
  }
}
