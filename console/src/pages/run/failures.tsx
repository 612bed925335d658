import type { ItemOf } from '@assay/client/operations';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect } from 'react';
import { useList } from '../../api/list.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Problem } from '../../parts/problem.tsx';
import { failureAdvice } from '../../text/failures.ts';
import { countOf, formatCount, visible } from '../../text/format.ts';
import { shortId } from '../../text/names.ts';
import { noRecordFilters } from './record-language.ts';
import styles from './run.module.css';
import type { MetricSummary } from './run-summary.ts';
import type { RunReply } from './use-live-run.ts';
import { useRetry } from './use-retry.ts';

type Failure = ItemOf<'/runs/:runId/failures'>;

/** As many failures are read and told apart by kind. */
const failuresMax = 1000;
/** Records that are named as examples of a kind. */
const examplesMax = 3;

/** Scores that could not be made, by kind: what is wrong, what to do, and examples. */
export function Failures({ run, metrics }: { run: RunReply; metrics: MetricSummary[] }) {
  const list = useList('/runs/:runId/failures', { params: { runId: run.id } });
  const { show } = list;
  // biome-ignore lint/correctness/useExhaustiveDependencies: `show` changes with each rendering.
  useEffect(() => show(0, failuresMax - 1), [list.rows]);
  const retry = useRetry(run.id);
  if (list.error) return <Problem error={list.error} retry={list.retry} />;
  if (list.isLoading) return null;
  if (list.rows === 0)
    return <Empty title="Everything is scored">Every score that was tried was made.</Empty>;
  const nameOf = (id: string) =>
    metrics.find(({ metricVersionId }) => metricVersionId === id)?.name ?? 'a metric';
  const kinds = [...Map.groupBy(list.loaded, kindOf).values()].toSorted(
    (one, other) => other.length - one.length,
  );
  return (
    <div className={styles.failures}>
      <p>
        {run.scoring.failed > list.loaded.length &&
          `Of the first ${formatCount(list.loaded.length)} of ${countOf(run.scoring.failed, 'failure')}. `}
        <Button isBusy={retry.isPending} onClick={retry.retry}>
          {retry.text}
        </Button>
      </p>
      {retry.error && <Problem error={retry.error} />}
      {kinds.map((members) => (
        <Kind
          key={kindOf(members[0]!)}
          runId={run.id}
          members={members}
          metricName={nameOf(members[0]!.metricVersionId)}
        />
      ))}
    </div>
  );
}

/** Failures are of a kind if they differ in numbers alone, such as those of a place or a time. */
const kindOf = ({ code, metricVersionId, message }: Failure): string =>
  [code, metricVersionId, message.replace(/\d+(?:\.\d+)?/g, '#')].join(' ');

/** The failures of a kind. */
function Kind({
  runId,
  members,
  metricName,
}: {
  runId: string;
  members: Failure[];
  metricName: string;
}) {
  const { projectId } = useParams({ from: '/frame/projects/$projectId/runs/$runId' });
  const [{ code, metricVersionId, message, attempts }] = members as [Failure];
  const { text, advice } = failureAdvice[code];
  return (
    <section
      className={styles.failure}
      aria-label={`${countOf(members.length, 'failure')} of ${metricName}`}
    >
      <h2>
        {formatCount(members.length)} × {metricName}: {text} <code>{code}</code>
      </h2>
      <p>
        {visible(message)} ({countOf(attempts, 'attempt')})
      </p>
      <p className={styles.interval}>{advice}</p>
      <p className={styles.facts}>
        {members.slice(0, examplesMax).map(({ recordId }) => (
          <Link
            key={recordId}
            to="/projects/$projectId/records/$recordId"
            params={{ projectId, recordId }}
          >
            Record {shortId(recordId)}
          </Link>
        ))}
        <Link
          to="/projects/$projectId/runs/$runId"
          params={{ projectId, runId }}
          search={{ ...noRecordFilters, metricVersionId, outcome: 'failed' }}
        >
          Records on which {metricName} failed
        </Link>
      </p>
    </section>
  );
}
