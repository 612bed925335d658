import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { useRescoreEstimate } from '../../api/rescore-estimate.ts';
import { Checkboxes } from '../../parts/checkboxes.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf } from '../../text/format.ts';
import { costSentences, estimateText } from '../../text/rescoring.ts';
import { changedByScoring } from './changed-by-scoring.ts';
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
  const estimate = useRescoreEstimate(run.id);
  const [left, setLeft] = useState<string[]>([]);
  const choices = choicesOf(metrics, estimate.data?.metrics);
  const chosen = choices.filter(({ metricId }) => !left.includes(metricId));
  const estimated = chosen.flatMap((choice) => choice.estimate ?? []);
  const scores = estimated.reduce((sum, { queued }) => sum + queued, 0);
  return (
    <FormDialog
      title="Rescore the run"
      button={estimate.data ? `Make ${countOf(scores, 'score')} anew` : 'Make scores anew'}
      isDisabled={estimate.isPending || (estimate.data ? scores === 0 : chosen.length === 0)}
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
      <Checkboxes
        legend="Metrics, by their present versions"
        items={choices.map(({ metricId, name, estimate }) => ({
          id: metricId,
          name,
          hint: estimate ? estimateText(estimate) : 'counting …',
        }))}
        chosen={chosen.map(({ metricId }) => metricId)}
        setChosen={(ids) =>
          setLeft(choices.flatMap(({ metricId }) => (ids.includes(metricId) ? [] : metricId)))
        }
      />
      {estimate.error && <Problem error={estimate.error} retry={() => void estimate.refetch()} />}
      <p role="status">
        {estimate.data
          ? costSentences(estimated, estimate.data.budgetLeftUsd).join(' ')
          : 'Estimating what judges would cost …'}{' '}
        Scores that people gave stay.
      </p>
    </FormDialog>
  );
}

/** The metrics that the service scores. Until it has said which, those that people do not score. */
function choicesOf(
  metrics: MetricSummary[],
  estimates: NonNullable<ReturnType<typeof useRescoreEstimate>['data']>['metrics'] | undefined,
) {
  const versions = latestVersions(metrics).filter(({ evalType }) => evalType !== 'human');
  return versions.flatMap(({ metricId, name }) => {
    const estimate = estimates?.find((each) => each.metricId === metricId);
    return estimates && !estimate ? [] : [{ metricId, name, estimate }];
  });
}
