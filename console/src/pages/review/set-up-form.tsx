import { useState } from 'react';
import { useMetrics } from '../../api/metrics.ts';
import { useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Actions } from '../../parts/dialog.tsx';
import { Choice } from '../../parts/field.tsx';
import { NameChoice } from '../../parts/name-choice/name-choice.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf } from '../../text/format.ts';
import { AmountFields, PerRecord } from './amount-fields.tsx';
import { Members } from './members.tsx';
import { NewMetric } from './new-metric.tsx';
import styles from './review.module.css';
import { type Amount, all, created, wishOf } from './review-wish.ts';
import type { ReviewWish } from './use-review-start.ts';

interface SetUpFormProps {
  projectId: string;
  runId: string | undefined;
  metricId: string | undefined;
  recordIds: string[] | undefined;
  isBusy: boolean;
  error: Error | undefined;
  submit: (wish: ReviewWish) => void;
  onClose: () => void;
}

/** What is reviewed, by which metric, and by whom. */
export function SetUpForm(props: SetUpFormProps) {
  const { projectId, recordIds, isBusy, submit, onClose } = props;
  const options = { params: { projectId }, query: { limit: 100 } };
  const runs = useReading('/projects/:projectId/runs', options);
  const metrics = useMetrics(projectId);
  const [chosenRun, setRun] = useState(props.runId);
  const listed = runs.data?.data.find(({ id }) => id === chosenRun);
  const older = useReading('/runs/:runId', {
    params: { runId: chosenRun ?? '' },
    isEnabled: chosenRun !== undefined && runs.data !== undefined && !listed,
  });
  const [chosenMetric, setMetric] = useState(props.metricId);
  const [chosenAmount, setAmount] = useState<Amount>();
  const [hasNobody, setNobody] = useState(false);
  const failed = [runs, metrics, older].find(({ error }) => error);
  if (failed) return <Problem error={failed.error!} retry={() => void failed.refetch()} />;
  if (!runs.data || !metrics.data) return null;

  const newest = runs.data.data.find(({ numRecords }) => numRecords > 0);
  const run = chosenRun === undefined ? newest : (listed ?? older.data);
  const human = metrics.data.data.filter(({ evalType }) => evalType === 'human');
  const own = human.filter(({ id }) => run?.metricIds.includes(id));
  const others = human.filter((metric) => !own.includes(metric));
  const known = [...own, ...others].map(({ id }) => id);
  const isChoice =
    chosenMetric === created ||
    (chosenMetric === all && own.length > 0) ||
    (chosenMetric !== undefined && known.includes(chosenMetric));
  const metric = isChoice ? chosenMetric! : own.length > 0 ? all : (others[0]?.id ?? created);
  const isJoining = metric !== all && !own.some(({ id }) => id === metric);
  const amount = chosenAmount ?? (isJoining ? 'count' : 'all');
  const annotators = Math.max(
    1,
    ...(metric === all ? own : human.filter(({ id }) => id === metric)).map((one) =>
      'annotators' in one ? (one.annotators ?? 1) : 1,
    ),
  );

  return (
    <form
      className={styles.setUp}
      onSubmit={(event) => {
        event.preventDefault();
        if (!run || run.numRecords === 0) return;
        const wish = wishOf(new FormData(event.currentTarget), {
          runId: run.id,
          metric,
          amount,
          annotators,
          recordIds,
        });
        setNobody(wish.userIds.length === 0);
        if (wish.userIds.length > 0) submit(wish);
      }}
    >
      {recordIds ? (
        <p>{countOf(recordIds.length, 'record')} of the run.</p>
      ) : (
        <NameChoice
          projectId={projectId}
          label="Run"
          kind="run"
          hint={run?.numRecords === 0 ? 'The run has no records yet.' : undefined}
          value={run?.id ?? chosenRun}
          choose={setRun}
        />
      )}
      <Choice
        label="Metric"
        value={metric}
        onChange={({ target }) => setMetric(target.value)}
        hint={isJoining && 'It joins the run for the records that are reviewed.'}
      >
        {own.length > 0 && <option value={all}>All human metrics of the run</option>}
        {own.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
        {others.map(({ id, name }) => (
          <option key={id} value={id}>
            {name} (new to the run)
          </option>
        ))}
        <option value={created}>A new metric …</option>
      </Choice>
      {metric === created && <NewMetric error={props.error} />}
      {!recordIds && <AmountFields amount={amount} setAmount={setAmount} isJoining={isJoining} />}
      <Members hasNobody={hasNobody} />
      <PerRecord key={metric} annotators={metric === created ? undefined : annotators} />
      <Actions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="main" type="submit" isBusy={isBusy} disabled={!run}>
          Start the review
        </Button>
      </Actions>
    </form>
  );
}
