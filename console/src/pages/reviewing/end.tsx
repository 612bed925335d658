import { useReading } from '../../api/query.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf } from '../../text/format.ts';
import { runName } from '../../text/names.ts';
import { AgreementText } from '../review/agreement.tsx';
import { useReviewedRuns } from '../review/use-reviewed-runs.ts';
import type { ReviewItem, ReviewScope } from './calls.ts';
import { formatSeconds } from './progress.tsx';
import { medianOf, type Review, type ReviewState } from './review.ts';
import styles from './reviewing.module.css';

/** The end of a review: how many records were saved, how far people agree, and where to go on. */
export function End({
  scope: { projectId, runId },
  review,
  state: { seconds, queue },
}: {
  scope: ReviewScope;
  review: Review<ReviewItem>;
  state: ReviewState<ReviewItem>;
}) {
  const each = medianOf(seconds);
  const passedOver = queue.items.length;
  return (
    <section className={styles.end}>
      <h2>{passedOver > 0 ? 'You have seen them all' : 'Nothing is left for you here'}</h2>
      <p>
        {each === undefined
          ? 'Records that others hold just now come back if they are not scored.'
          : `You saved ${countOf(seconds.length, 'record')}, ${formatSeconds(each)} each.`}
      </p>
      {passedOver > 0 && (
        <p>
          {countOf(passedOver, 'record')} passed over without saving.{' '}
          <Button onClick={() => review.step(-1)}>
            Go back <kbd>←</kbd>
          </Button>
        </p>
      )}
      {runId && <Agreement runId={runId} />}
      <p className={styles.tools}>
        <Button onClick={review.lookAgain}>Look again</Button>
        <ButtonLink to="/projects/$projectId/review" params={{ projectId }}>
          All reviews
        </ButtonLink>
        <NextQueue projectId={projectId} runId={runId} />
      </p>
    </section>
  );
}

function Agreement({ runId }: { runId: string }) {
  const summary = useReading('/runs/:runId/summary', { params: { runId } });
  if (summary.error) return <Problem error={summary.error} retry={() => void summary.refetch()} />;
  return (
    <ul>
      {summary.data?.metrics.map(
        ({ metricVersionId, name, agreement }) =>
          agreement && (
            <li key={metricVersionId}>
              {name}: <AgreementText agreement={agreement} />
            </li>
          ),
      )}
    </ul>
  );
}

/** The next run in which something waits for this member. */
function NextQueue({ projectId, runId }: { projectId: string; runId: string | undefined }) {
  const { rows } = useReviewedRuns(projectId);
  const next = rows.find(({ run, progress }) => run.id !== runId && (progress?.mine ?? 0) > 0);
  if (!next) return null;
  return (
    <ButtonLink
      kind="main"
      to="/projects/$projectId/review/go"
      params={{ projectId }}
      search={{ run: next.run.id }}
    >
      Next: {runName(next.run)}, {countOf(next.progress?.mine ?? 0, 'score')} for you
    </ButtonLink>
  );
}
