import { partOfRun } from '@assay/client/part-of-run';
import { useEffect, useState } from 'react';
import { runStatuses } from '../../parts/status.tsx';
import { countOf, formatCount, formatDollars } from '../../text/format.ts';
import styles from './run.module.css';
import { stoppingSentence } from './stopping-sentence.ts';
import type { LiveRun, RunReply } from './use-live-run.ts';

/** How far a run is, in a sentence, and as a bar while it is under way. */
export function RunState({ run, live }: { run: RunReply; live: LiveRun }) {
  const { expected, scored, failed, pending } = run.scoring;
  const { isLive } = runStatuses[run.status];
  const sentence = stateSentence(run, live.scoresPerSecond);
  const stopping = stoppingSentence(run);
  const part = partOfRun(run);
  return (
    <section className={styles.state} aria-label="State of the run">
      <p>
        <strong>{sentence}</strong>
      </p>
      {part && <p>This run is {part}.</p>}
      {stopping && <p>{stopping}</p>}
      {isLive && expected > 0 && (
        <progress max={expected} value={expected - pending} aria-label="Scores" />
      )}
      <p className={styles.facts}>
        <span>{countOf(run.numRecords, 'record')}</span>
        {expected > 0 && <span>{countOf(scored, 'score')}</span>}
        {failed > 0 && <span>{formatCount(failed)} not scored</span>}
        {run.costUsd > 0 && (
          <span>
            {formatDollars(run.costUsd)}
            {run.budgetUsd !== null && ` of ${formatDollars(run.budgetUsd)}`}
          </span>
        )}
        {run.cachedAnswers > 0 && (
          <span>{countOf(run.cachedAnswers, 'answer')} from the cache</span>
        )}
      </p>
      <p role="status" className="for-screen-readers">
        <Announced text={sentence} />
      </p>
    </section>
  );
}

/** A text that a screen reader hears at most every five seconds. */
function Announced({ text }: { text: string }) {
  const [said, setSaid] = useState(text);
  useEffect(() => {
    if (text === said) return;
    const timer = setTimeout(() => setSaid(text), 5000);
    return () => clearTimeout(timer);
  }, [text, said]);
  return said;
}

function stateSentence(run: RunReply, scoresPerSecond: number | undefined): string {
  const { numRecords, numExpectedRecords, scoring, status, isPaused } = run;
  const scores = `${formatCount(scoring.expected - scoring.pending)} of ${countOf(scoring.expected, 'score')}`;
  if (isPaused && status !== 'completed') return `Paused: ${scores}.`;
  switch (status) {
    case 'pending':
      return 'Waits for its first record.';
    case 'awaiting_execution':
    case 'running_execution':
      return `Takes records: ${formatCount(numRecords)} of ${formatCount(numExpectedRecords ?? 0)}.`;
    case 'awaiting_scoring':
    case 'running_scoring':
      return `Scoring: ${scores}${timeLeft(scoring.pending, scoresPerSecond)}.`;
    case 'awaiting_human_scoring':
      return `Waits for people: ${countOf(scoring.pending, 'score')} missing.`;
    case 'completed':
      return scoring.failed > 0
        ? `Completed, but ${countOf(scoring.failed, 'score')} could not be made.`
        : `Completed: ${countOf(numRecords, 'record')}${scoring.expected > 0 ? `, ${countOf(scoring.scored, 'score')}` : ''}.`;
  }
}

function timeLeft(pending: number, perSecond: number | undefined): string {
  if (!perSecond) return '';
  const seconds = pending / perSecond;
  return seconds < 60 ? ', less than a minute' : `, about ${Math.ceil(seconds / 60)} min`;
}
