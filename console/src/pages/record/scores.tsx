import type { ReplyOf } from '@assay/client/operations';
import { isNumeric } from '@assay/contracts/scale';
import { Link, useParams } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { refresh, useChange } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { Problem } from '../../parts/problem.tsx';
import { OutcomeMark } from '../../parts/score.tsx';
import { Time } from '../../parts/time.tsx';
import { countOf, formatDollars, visible } from '../../text/format.ts';
import { scaleText } from '../../text/metrics.ts';
import { booleanChoices, readValue, shownScore } from '../../text/scores.ts';
import type { MetricSummary } from '../run/run-summary.ts';
import styles from './record.module.css';
import { type MetricVersions, useMetricVersions } from './use-metric-versions.ts';

type RecordReply = ReplyOf<'GET', '/records/:recordId'>;
type ScoreReply = RecordReply['scores'][number];

/** Every metric of the record's run, with its score of this record, and why. */
export function Scores({ record, metrics }: { record: RecordReply; metrics: MetricSummary[] }) {
  const versionsOf = useMetricVersions(metrics);
  const others = record.scores.filter(
    ({ metricConfigId }) =>
      !metrics.some(({ metricVersionId }) => metricVersionId === metricConfigId),
  );
  return (
    <section className={styles.scores} aria-label="Scores">
      <h2>Scores</h2>
      {metrics.map((metric) => (
        <MetricScore
          key={metric.metricVersionId}
          record={record}
          metric={metric}
          versions={versionsOf(metric.metricVersionId)}
        />
      ))}
      {others.map((score) => (
        <article key={score.metricConfigId} className={styles.score}>
          <h3>{versionsOf(score.metricConfigId)?.name ?? "A metric that is not the run's"}</h3>
          <VersionNote
            versions={versionsOf(score.metricConfigId)}
            metricVersionId={score.metricConfigId}
          />
          <Said score={score} />
        </article>
      ))}
      {metrics.length === 0 && others.length === 0 && <p>The run has no metrics.</p>}
    </section>
  );
}

function MetricScore({
  record,
  metric,
  versions,
}: {
  record: RecordReply;
  metric: MetricSummary;
  versions: MetricVersions | undefined;
}) {
  const { id: recordId } = record;
  const { score, mark } = shownScore(record, metric);
  const [isOverriding, setOverriding] = useState(false);
  const params = { recordId, metricConfigId: metric.metricVersionId };
  const refreshes = ['/records/:recordId', '/runs/:runId/records'] as const;
  const anew = useChange('DELETE', '/records/:recordId/scores/:metricConfigId', {
    refreshes: [...refreshes],
  });
  useArrivingScore(anew.isSuccess && mark.outcome === 'pending');
  return (
    <article className={styles.score}>
      <header className={styles.scoreHead}>
        <h3>{metric.name}</h3>
        <OutcomeMark {...mark} message={undefined} />
      </header>
      <VersionNote versions={versions} metricVersionId={metric.metricVersionId} />
      {mark.message && <p className={styles.warning}>{visible(mark.message)}</p>}
      {score && <Said score={score} />}
      <p className={styles.tools}>
        <Button kind="quiet" onClick={() => setOverriding(!isOverriding)}>
          {score ? 'Override' : 'Score it'}
        </Button>
        {score && metric.evalType !== 'human' && (
          <Button kind="quiet" isBusy={anew.isPending} onClick={() => anew.mutate({ params })}>
            Rescore
          </Button>
        )}
      </p>
      {anew.error && <Problem error={anew.error} />}
      {isOverriding && (
        <Override
          key={metric.metricVersionId}
          recordId={recordId}
          metric={metric}
          onDone={() => setOverriding(false)}
        />
      )}
    </article>
  );
}

/** How often a record is read again for a score that is made anew, in ms, and how many times. */
const readEveryMs = 1000;
const readingsMax = 300;

/** Reads the record again until a score that is awaited is there. */
function useArrivingScore(isAwaited: boolean): void {
  useEffect(() => {
    if (!isAwaited) return;
    let readings = 0;
    const timer = setInterval(() => {
      readings += 1;
      if (readings === readingsMax) clearInterval(timer);
      void refresh(['/records/:recordId']);
    }, readEveryMs);
    return () => clearInterval(timer);
  }, [isAwaited]);
}

/** Says that a score was not made by the current version of its metric. */
function VersionNote({
  versions,
  metricVersionId,
}: {
  versions: MetricVersions | undefined;
  metricVersionId: string;
}) {
  const { projectId } = useParams({ from: '/frame/projects/$projectId/records/$recordId' });
  if (!versions || versions.current === metricVersionId) return null;
  return (
    <p className={styles.hint}>
      <Link
        to="/projects/$projectId/metrics/$metricId"
        params={{ projectId, metricId: versions.metricId }}
        search={{ tab: 'versions' }}
      >
        An older version of the metric
      </Link>
    </p>
  );
}

/** The reason of a score, and how it came about. */
export function Said({ score }: { score: ScoreReply }) {
  const { provenance, source, recordedByUserId, createdAt, validationErrors = [] } = score;
  const { reasoning } = score.score;
  return (
    <>
      {typeof reasoning === 'string' && <Markdown text={reasoning} />}
      {validationErrors.map(({ path, message }) => (
        <p key={path + message} className={styles.warning}>
          ! {path}: {message}
        </p>
      ))}
      <p className={styles.hint}>
        {source === 'human'
          ? 'By a person'
          : (provenance?.model ?? provenance?.evaluator ?? 'By a program')}{' '}
        {recordedByUserId !== undefined && '· recorded by another '}· <Time at={createdAt} />
        {provenance?.votes && provenance.votes > 1 && ` · ${countOf(provenance.votes, 'vote')}`}
        {provenance?.inputTokens !== undefined &&
          ` · ${provenance.inputTokens} + ${provenance.outputTokens ?? 0} tokens`}
        {provenance?.costUsd !== undefined && ` · ${formatDollars(provenance.costUsd)}`}
        {provenance?.cached && ' · from the cache'}
        {provenance && provenance.attempts > 1 && ` · ${countOf(provenance.attempts, 'attempt')}`}
      </p>
    </>
  );
}

/** A person's score in place of the service's. The text that is typed stays until it is saved. */
function Override({
  recordId,
  metric,
  onDone,
}: {
  recordId: string;
  metric: MetricSummary;
  onDone: () => void;
}) {
  const put = useChange('PUT', '/records/:recordId/scores/:metricConfigId', {
    refreshes: ['/records/:recordId', '/runs/:runId/records'],
  });
  const [problem, setProblem] = useState<string>();
  return (
    <form
      className={styles.override}
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const value = readValue(metric, `${form.get('value')}`);
        setProblem(value instanceof Error ? value.message : undefined);
        if (value instanceof Error) return;
        const reasoning = `${form.get('reasoning')}`.trim();
        put.mutate(
          {
            params: { recordId, metricConfigId: metric.metricVersionId },
            body: { score: { value, ...(reasoning ? { reasoning } : {}) } },
          },
          { onSuccess: onDone },
        );
      }}
    >
      {isNumeric(metric.outputType) ? (
        <Field
          label={`Value, ${scaleText(metric)}`}
          name="value"
          inputMode="decimal"
          required
          problem={problem}
        />
      ) : (
        <Choice label="Value" name="value">
          {booleanChoices(metric).map(({ value, outcome }) => (
            <option key={value} value={value}>
              {outcome}
            </option>
          ))}
        </Choice>
      )}
      <Field label="Reason" name="reasoning" rows={3} />
      {put.error && <Problem error={put.error} />}
      <Button kind="main" type="submit" isBusy={put.isPending}>
        Save
      </Button>
    </form>
  );
}
