import { useQuery } from '@tanstack/react-query';
import { useMetrics } from '../../api/metrics.ts';
import { reading, useChange, useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { VerdictMark } from '../../parts/verdict.tsx';
import { countOf, formatDollars, formatShare } from '../../text/format.ts';
import { isOfPairs } from '../../text/metrics.ts';
import { judgeSentences, type PairwiseResults, pairSentence } from '../../text/pairwise.ts';
import { AskJudge } from './ask-judge.tsx';
import styles from './compare.module.css';
import { JudgedPairs } from './judged-pairs.tsx';
import { Warnings } from './warnings.tsx';

/** How often the progress of a judge is looked at, in ms. */
const lookEveryMs = 2000;

type Names = (runId: string) => string;

/** A judge's answer to which of these runs is better; nothing in a project without such a judge. */
export function Pairwise({
  projectId,
  runIds,
  names,
}: {
  projectId: string;
  runIds: string[];
  names: Names;
}) {
  const metrics = useMetrics(projectId);
  const comparisons = useReading('/projects/:projectId/pairwise-comparisons', {
    params: { projectId },
    query: { runId: runIds[0]!, limit: 100 },
  });
  const judges = (metrics.data?.data ?? []).filter(isOfPairs);
  const latest = comparisons.data?.data.find(
    (one) => [...one.runIds].sort().join() === [...runIds].sort().join(),
  );
  if (judges.length === 0 && !latest) return null;
  return (
    <section className={styles.metric} aria-label="A judge's answer">
      <h2>Which is better, by a judge</h2>
      {latest && <Judged id={latest.id} names={names} />}
      {judges.length > 0 && (
        <AskJudge projectId={projectId} runIds={runIds} judges={judges} isAgain={!!latest} />
      )}
    </section>
  );
}

/** A comparison: how far it is, and its results once nothing is pending. */
function Judged({ id, names }: { id: string; names: Names }) {
  const comparison = useQuery({
    ...reading('/pairwise-comparisons/:pairwiseComparisonId', {
      params: { pairwiseComparisonId: id },
    }),
    refetchInterval: ({ state }) =>
      state.data && state.data.account.pending === 0 ? false : lookEveryMs,
  });
  if (comparison.error) return <Problem error={comparison.error} />;
  if (!comparison.data) return null;
  const { account, costUsd, testcases, results, warnings } = comparison.data;
  const done = account.judged + account.failed;
  return (
    <>
      <Warnings warnings={warnings} />
      <p role="status">
        {account.pending > 0
          ? `The judge is at work: ${done} of ${account.expected} pairs, ${formatDollars(costUsd)} so far.`
          : `${account.judged} of ${account.expected} pairs judged, of ${testcases} testcases, for ${formatDollars(costUsd)}.`}
      </p>
      {results && (
        <>
          {results.pairs.map((pair) => (
            <p key={`${pair.baselineRunId} ${pair.candidateRunId}`} className={styles.verdictLine}>
              <VerdictMark verdict={pair.verdict} /> <span>{pairSentence(pair, names)}</span>
            </p>
          ))}
          {results.leaderboard && <Ranking runs={results.leaderboard} names={names} />}
          {judgeSentences(results).map((sentence) => (
            <p key={sentence} className={styles.hint}>
              {sentence}
            </p>
          ))}
        </>
      )}
      {account.pending === 0 && account.failed > 0 && <Retry id={id} failed={account.failed} />}
      {done > 0 && <JudgedPairs id={id} names={names} />}
    </>
  );
}

/** Asks again where the judge failed. */
function Retry({ id, failed }: { id: string; failed: number }) {
  const retry = useChange('POST', '/pairwise-comparisons/:pairwiseComparisonId/retry', {
    refreshes: ['/pairwise-comparisons/:pairwiseComparisonId'],
  });
  return (
    <p className={styles.verdictLine}>
      {countOf(failed, 'pair')} could not be judged.{' '}
      <Button
        isBusy={retry.isPending}
        onClick={() => retry.mutate({ params: { pairwiseComparisonId: id }, body: {} })}
      >
        Ask again where it failed
      </Button>
      {retry.error && <Problem error={retry.error} />}
    </p>
  );
}

function Ranking({
  runs,
  names,
}: {
  runs: NonNullable<PairwiseResults['leaderboard']>;
  names: Names;
}) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by keys.
    <section className={styles.scroll} tabIndex={0} aria-label="Ranking by the judge">
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">Rank</th>
            <th scope="col">Run</th>
            <th scope="col">Strength</th>
            <th scope="col">95 % interval</th>
            <th scope="col">Won</th>
          </tr>
        </thead>
        <tbody>
          {runs.map(({ runId, rank, strength, confidenceInterval, winShare }) => (
            <tr key={runId}>
              <td>{rank.from === rank.to ? rank.from : `${rank.from}–${rank.to}, not decided`}</td>
              <th scope="row">{names(runId)}</th>
              <td>{strength.toFixed(2)}</td>
              <td>
                {confidenceInterval.low.toFixed(2)} to {confidenceInterval.high.toFixed(2)}
              </td>
              <td>{winShare === null ? '–' : formatShare(winShare)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
