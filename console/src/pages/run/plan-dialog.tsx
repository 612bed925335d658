import type { BodyOf } from '@assay/client/operations';
import { useState } from 'react';
import { usePlan } from '../../api/plan.ts';
import { Button } from '../../parts/button.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';
import { Choice, Field, problemAt } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { planSentence, testsetSentences, usualPower } from '../../text/plans.ts';
import styles from './run.module.css';
import { latestVersions, type MetricSummary } from './run-summary.ts';

/** Says how large a comparison of this run's version with another one has to be. */
export function PlanDialog({
  runId,
  metrics,
  onClose,
}: {
  runId: string;
  metrics: MetricSummary[];
  onClose: () => void;
}) {
  const choices = latestVersions(metrics);
  const [metricId, setMetricId] = useState(choices[0]?.metricId ?? '');
  const [asked, setAsked] = useState<BodyOf<'POST', '/plans'>>();
  const plan = usePlan(asked);
  const isShare = choices.find((one) => one.metricId === metricId)?.outputType === 'boolean';
  return (
    <Dialog title="Plan a comparison" onClose={onClose}>
      <form
        onSubmit={(event) => {
          event.preventDefault();
          const typed = Number(new FormData(event.currentTarget).get('difference'));
          const difference = isShare ? typed / 100 : typed;
          setAsked({ metricId, difference, power: usualPower, pilotRunId: runId });
        }}
      >
        <Choice
          label="Metric"
          value={metricId}
          onChange={({ target }) => {
            setMetricId(target.value);
            setAsked(undefined);
          }}
        >
          {choices.map((metric) => (
            <option key={metric.metricId} value={metric.metricId}>
              {metric.name}
            </option>
          ))}
        </Choice>
        <Field
          label={
            isShare ? 'Difference to be found, in points of a hundred' : 'Difference to be found'
          }
          name="difference"
          type="number"
          min={0}
          step="any"
          required
          data-focus-first
          hint="The smallest that would matter to you. What is smaller will mostly come out undecided."
          problem={problemAt(plan.error, '/difference')}
        />
        {plan.error && <Problem error={plan.error} />}
        {asked && plan.data && (
          <ul className={styles.effects} aria-label="Plan" aria-live="polite">
            {[
              planSentence(plan.data, asked.difference),
              ...testsetSentences(plan.data, asked.difference),
              ...plan.data.assumptions,
            ].map((sentence) => (
              <li key={sentence}>{sentence}</li>
            ))}
          </ul>
        )}
        <Actions>
          <Button onClick={onClose}>Close</Button>
          <Button kind="main" type="submit" isBusy={plan.isFetching}>
            Plan
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}
