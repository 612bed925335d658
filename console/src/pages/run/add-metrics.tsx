import type { ReplyOf } from '@assay/client/operations';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { useMetrics } from '../../api/metrics.ts';
import { useChange, useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Checkboxes } from '../../parts/checkboxes.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf } from '../../text/format.ts';
import {
  isOfPairs,
  type Metric,
  priceOf,
  scaleText,
  scorerOf,
  scorers,
} from '../../text/metrics.ts';
import styles from './run.module.css';
import type { RunReply } from './use-live-run.ts';

/** Has the records of a run scored by more metrics of its project. */
export function AddMetrics({
  projectId,
  run,
  onClose,
}: {
  projectId: string;
  run: RunReply;
  onClose: () => void;
}) {
  const metrics = useMetrics(projectId);
  const judges = useReading('/judges');
  const [chosen, setChosen] = useState<string[]>([]);
  const add = useChange('POST', '/runs/:runId/rescore', {
    refreshes: [
      '/runs/:runId',
      '/runs/:runId/summary',
      '/runs/:runId/records',
      '/projects/:projectId/runs',
      '/review-queue/progress',
    ],
  });
  const others = (metrics.data?.data ?? []).filter(
    (metric) => !isOfPairs(metric) && !run.metricIds.includes(metric.id),
  );
  const records = countOf(run.numRecords, 'record');
  return (
    <Dialog title="Add metrics" onClose={onClose}>
      {metrics.error && <Problem error={metrics.error} retry={() => void metrics.refetch()} />}
      {metrics.data && others.length === 0 && <p>The run has all metrics of the project.</p>}
      {others.length > 0 && (
        <Checkboxes
          legend="Metrics that the run does not have"
          items={others.map((metric) => ({
            id: metric.id,
            name: metric.name,
            hint: descriptionOf(metric, judges.data),
          }))}
          chosen={chosen}
          setChosen={setChosen}
        />
      )}
      <p>
        <Link to="/projects/$projectId/metrics/new" params={{ projectId }} search={{ run: run.id }}>
          Write a new metric
        </Link>
      </p>
      <ul className={styles.effects}>
        {effectsOf(
          others.filter(({ id }) => chosen.includes(id)),
          records,
        ).map((effect) => (
          <li key={effect}>{effect}</li>
        ))}
      </ul>
      {add.error && <Problem error={add.error} />}
      <Actions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="main"
          isBusy={add.isPending}
          disabled={chosen.length === 0}
          onClick={() =>
            add.mutate(
              { params: { runId: run.id }, body: { metricIds: chosen } },
              { onSuccess: onClose },
            )
          }
        >
          {chosen.length > 0 ? `Add ${countOf(chosen.length, 'metric')}` : 'Add'}
        </Button>
      </Actions>
    </Dialog>
  );
}

/** Who scores by a metric, its values, and the price of its judge. */
function descriptionOf(metric: Metric, judges: ReplyOf<'GET', '/judges'> | undefined): string {
  const scorer = scorerOf(metric);
  const about = `${scorers[scorer].text} · ${scaleText(metric)}`;
  if (!('evalModelName' in metric)) return about;
  const model = metric.evalModelName ?? judges?.defaultModel ?? '';
  return [about, model, priceOf(judges, model)].filter((text) => text !== '').join(' · ');
}

/** The effects of these metrics on the run that they join. */
function effectsOf(metrics: Metric[], records: string): string[] {
  const found = new Set(metrics.map(scorerOf));
  return [
    ...(found.has('judge') ? [`The judge is asked for ${records} and paid for each.`] : []),
    ...(found.has('code') || found.has('builtin') ? [`${records} scored here, at no cost.`] : []),
    ...(found.has('people')
      ? [`People are asked for ${records}. For some of them only, use Review.`]
      : []),
    ...(found.has('program') ? [`Your program is waited for, for ${records}.`] : []),
  ];
}
