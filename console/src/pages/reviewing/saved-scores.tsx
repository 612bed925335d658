import { isNumeric, type StatedScale } from '@assay/contracts/scale';
import { useState } from 'react';
import { useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { OutcomeMark } from '../../parts/score.tsx';
import { booleanChoices, shownScore } from '../../text/scores.ts';
import { Said } from '../record/scores.tsx';
import type { ReviewItem } from './calls.ts';
import type { ReviewState } from './review.ts';
import styles from './reviewing.module.css';

/** The scores that were saved last, with the way back; only now also the judge's. */
export function SavedScores({
  state: { queue, drafts, saving },
  undo,
}: {
  state: ReviewState<ReviewItem>;
  undo: () => void;
}) {
  const [judgedId, setJudgedId] = useState<string>();
  const last = queue.saved.at(-1);
  if (!last) return null;
  const draft = drafts.get(last.id) ?? {};
  const isSaved = !saving.has(last.id);
  return (
    <section className={styles.saved} aria-label="Saved last">
      <h2>{isSaved ? 'Saved last' : 'Is being saved'}</h2>
      <ul>
        {last.metrics.map((metric) => (
          <li key={metric.metricVersionId}>
            {metric.name}: {valueText(metric, draft[metric.metricVersionId]?.value)}
          </li>
        ))}
      </ul>
      <p className={styles.tools}>
        <Button onClick={undo}>
          Undo <kbd>u</kbd>
        </Button>
        <Button disabled={!isSaved} onClick={() => setJudgedId(last.id)}>
          Show the judge
        </Button>
      </p>
      {judgedId === last.id && isSaved && <Judge recordId={last.id} runId={last.runId} />}
    </section>
  );
}

function valueText(metric: StatedScale, value = ''): string {
  if (isNumeric(metric.outputType)) return value;
  const { outcome } = booleanChoices(metric).find((choice) => choice.value === value) ?? {
    outcome: 'fail',
  };
  return outcome === 'pass' ? '✓ pass' : '✗ fail';
}

/** The scores that no person gave a record. */
function Judge({ recordId, runId }: { recordId: string; runId: string }) {
  const record = useReading('/records/:recordId', { params: { recordId }, query: { preview: 0 } });
  const summary = useReading('/runs/:runId/summary', { params: { runId } });
  const error = record.error ?? summary.error;
  if (error) return <Problem error={error} />;
  if (!record.data || !summary.data) return <p role="status">Reading …</p>;
  const { scores, missingScores } = record.data;
  const isPeoples = (metricVersionId: string) =>
    summary.data.metrics.some(
      (metric) => metric.metricVersionId === metricVersionId && metric.evalType === 'human',
    );
  const shown = new Set([
    ...scores.filter(({ source }) => source !== 'human').map((score) => score.metricConfigId),
    ...missingScores.map(({ metricConfigId }) => metricConfigId).filter((id) => !isPeoples(id)),
  ]);
  if (shown.size === 0) return <p>No judge has scored this record.</p>;
  return [...shown].map((metricVersionId) => {
    const metric = summary.data.metrics.find((one) => one.metricVersionId === metricVersionId);
    const { score, mark } = shownScore(
      record.data,
      metric ?? { metricVersionId, outputType: 'float', passingThreshold: null },
    );
    return (
      <article key={metricVersionId} className={styles.judge}>
        <h3>
          {metric?.name ?? 'A metric that is not the run’s'} <OutcomeMark {...mark} />
        </h3>
        {score && <Said score={score} />}
      </article>
    );
  });
}
