import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { countOf, formatDollars } from '../../text/format.ts';
import { changedByScoring } from './changed-by-scoring.ts';
import styles from './run.module.css';
import { latestVersions, type MetricSummary } from './run-summary.ts';
import type { RunReply } from './use-live-run.ts';

/** Has the records scored again by the present versions of some metrics of the run. */
export function RescoreDialog({
  run,
  metrics,
  onClose,
}: {
  run: RunReply;
  metrics: MetricSummary[];
  onClose: () => void;
}) {
  const rescore = useChange('POST', '/runs/:runId/rescore', {
    refreshes: changedByScoring,
  });
  // People are not asked again.
  const choices = latestVersions(metrics).filter(({ evalType }) => evalType !== 'human');
  const [left, setLeft] = useState<string[]>([]);
  const chosen = choices.filter(({ metricId }) => !left.includes(metricId));
  const isPaid = chosen.some(({ evalType }) => evalType === 'ai');
  return (
    <FormDialog
      title="Rescore the run"
      button={`Make ${countOf(chosen.length * run.numRecords, 'score')} anew`}
      isDisabled={chosen.length === 0}
      change={rescore}
      onClose={onClose}
      submit={() =>
        rescore.mutate(
          {
            params: { runId: run.id },
            body: { metricIds: chosen.map(({ metricId }) => metricId) },
          },
          { onSuccess: onClose },
        )
      }
    >
      <fieldset className={styles.choices}>
        <legend>Metrics, by their present versions</legend>
        {choices.map(({ metricId, name }) => (
          <label key={metricId}>
            <input
              type="checkbox"
              checked={!left.includes(metricId)}
              onChange={({ target }) =>
                setLeft(target.checked ? left.filter((id) => id !== metricId) : [...left, metricId])
              }
            />
            {name}
          </label>
        ))}
      </fieldset>
      <p>
        {isPaid
          ? `Judges are paid again: those of this run cost ${formatDollars(run.costUsd)} so far${budgetText(run)}.`
          : 'No judge is asked: it costs nothing.'}{' '}
        Scores that people gave stay.
      </p>
    </FormDialog>
  );
}

const budgetText = ({ budgetUsd, costUsd }: RunReply): string =>
  budgetUsd === null
    ? ', and it has no budget'
    : `, and ${formatDollars(Math.max(0, budgetUsd - costUsd))} of its budget are left`;
