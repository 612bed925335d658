import { useRouter } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { useReading } from '../../api/query.ts';
import { useMe } from '../../api/session.ts';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { Snippet } from '../../parts/copy.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';
import { Choice, Field } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf, formatCount } from '../../text/format.ts';
import { memberNames, runName } from '../../text/names.ts';
import { assignDrawn, drawnFromMax, readWaiting } from './assign.ts';
import type { DrawSize } from './draw.ts';
import styles from './review.module.css';
import { type ReviewedRun, useReviewedRuns } from './use-reviewed-runs.ts';

interface Wish {
  runId: string;
  metricId: string | undefined;
  size: DrawSize;
  userIds: string[];
  perRecord: number;
}

/** How far an assignment is, in a sentence, and how it ended. */
interface AssignmentState {
  sentence?: string;
  error?: Error;
  /** How many records were assigned, once all are. */
  assigned?: number;
}

interface SetUpProps {
  projectId: string;
  /** The run that is chosen at first. */
  runId: string | undefined;
  metricId?: string | undefined;
  /** These records of the run; without them, some are drawn by chance. */
  recordIds?: string[];
  onClose: () => void;
}

/** Sets a review up: which records of a run, by whom. They are assigned to these members. */
export function SetUpReview({ projectId, runId, metricId, recordIds, onClose }: SetUpProps) {
  const { rows } = useReviewedRuns(projectId);
  const [wish, setWish] = useState<Wish>();
  const { work, start } = useAssignment();
  const isBusy = work.sentence !== undefined;
  if (wish && work.assigned !== undefined)
    return (
      <Assigned projectId={projectId} wish={wish} assigned={work.assigned} onClose={onClose} />
    );
  return (
    <Dialog title={recordIds ? 'Start a review of these' : 'Set up a review'} onClose={onClose}>
      <SetUpForm
        rows={rows}
        runId={runId}
        metricId={metricId}
        recordIds={recordIds}
        isBusy={isBusy}
        submit={(chosen) => {
          setWish(chosen);
          start(chosen, recordIds);
        }}
        onClose={onClose}
      />
      <p role="status">{work.sentence}</p>
      {work.error && <Problem error={work.error} />}
    </Dialog>
  );
}

function SetUpForm({
  rows,
  runId: given,
  metricId: givenMetric,
  recordIds,
  isBusy,
  submit,
  onClose,
}: Pick<SetUpProps, 'runId' | 'metricId' | 'recordIds' | 'onClose'> & {
  rows: ReviewedRun[];
  isBusy: boolean;
  submit: (wish: Wish) => void;
}) {
  const me = useMe();
  const members = useReading('/members', { query: { limit: 100 } });
  const nameOf = memberNames(members.data?.data);
  const [chosenRun, setRun] = useState(given);
  const [metricId, setMetric] = useState(givenMetric ?? '');
  const [amount, setAmount] = useState<'all' | 'share' | 'count'>('all');
  const [problem, setProblem] = useState<string>();
  const runId = chosenRun ?? rows[0]?.run.id ?? '';
  const metrics = rows.find(({ run }) => run.id === runId)?.metrics ?? [];
  const annotators = Math.max(
    1,
    ...metrics
      .filter(({ id }) => metricId === '' || id === metricId)
      .map((metric) => ('annotators' in metric ? (metric.annotators ?? 1) : 1)),
  );
  return (
    <form
      className={styles.setUp}
      onSubmit={(event) => {
        event.preventDefault();
        const form = new FormData(event.currentTarget);
        const userIds = form.getAll('member').map(String);
        const number = Number(form.get('amount') ?? 0);
        setProblem(userIds.length === 0 ? 'Choose somebody.' : undefined);
        if (userIds.length === 0 || runId === '') return;
        submit({
          runId,
          metricId: metricId || undefined,
          userIds,
          perRecord: form.get('by') === 'metric' ? annotators : 1,
          size:
            amount === 'all'
              ? { share: 1 }
              : amount === 'share'
                ? { share: number / 100 }
                : { count: number },
        });
      }}
    >
      {recordIds ? (
        <p>{countOf(recordIds.length, 'record')}, to be scored for the human metrics of the run.</p>
      ) : (
        <Choice label="Run" value={runId} onChange={({ target }) => setRun(target.value)}>
          {rows.map(({ run }) => (
            <option key={run.id} value={run.id}>
              {runName(run)}
            </option>
          ))}
        </Choice>
      )}
      <Choice label="Metric" value={metricId} onChange={({ target }) => setMetric(target.value)}>
        <option value="">All human metrics</option>
        {metrics.map(({ id, name }) => (
          <option key={id} value={id}>
            {name}
          </option>
        ))}
      </Choice>
      <fieldset className={styles.members}>
        <legend>Members</legend>
        {members.data?.data.map(({ userId }) => (
          <label key={userId}>
            <input
              type="checkbox"
              name="member"
              value={userId}
              defaultChecked={userId === me.data?.member.userId}
            />
            {nameOf(userId)}
          </label>
        ))}
        {problem && <p role="alert">{problem}</p>}
      </fieldset>
      {!recordIds && (
        <div className={styles.amount}>
          <Choice
            label="Records"
            value={amount}
            onChange={({ target }) => setAmount(target.value as typeof amount)}
          >
            <option value="all">All that wait</option>
            <option value="share">A share, drawn by chance</option>
            <option value="count">A number, drawn by chance</option>
          </Choice>
          {amount !== 'all' && (
            <Field
              key={amount}
              label={amount === 'share' ? 'Per cent' : 'Number'}
              name="amount"
              type="number"
              min={1}
              max={amount === 'share' ? 100 : drawnFromMax}
              required
              defaultValue={amount === 'share' ? 20 : 50}
            />
          )}
        </div>
      )}
      <Choice label="Each record by" name="by" defaultValue="metric">
        <option value="metric">
          As many members as the metric asks for: {formatCount(annotators)}
        </option>
        <option value="one">One member</option>
      </Choice>
      <Actions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="main" type="submit" isBusy={isBusy} disabled={runId === ''}>
          Assign
        </Button>
      </Actions>
    </form>
  );
}

/** The end of an assignment, with the link that the members need. */
function Assigned({
  projectId,
  wish: { runId, metricId, userIds },
  assigned,
  onClose,
}: {
  projectId: string;
  wish: Wish;
  assigned: number;
  onClose: () => void;
}) {
  const me = useMe();
  const to = '/projects/$projectId/review/go' as const;
  const search = { run: runId, metric: metricId, only: 'assigned' as const };
  const { publicHref } = useRouter().buildLocation({ to, params: { projectId }, search });
  return (
    <Dialog title="The review is set up" onClose={onClose}>
      <p>
        {countOf(assigned, 'record')} assigned to {countOf(userIds.length, 'member')}. Each finds
        their own by this link, and in the queue before all others come:
      </p>
      <Snippet code={`${location.origin}${publicHref}`} />
      <Actions>
        <Button onClick={onClose}>Close</Button>
        {me.data && userIds.includes(me.data.member.userId) && (
          <ButtonLink kind="main" to={to} params={{ projectId }} search={search}>
            Start reviewing mine
          </ButtonLink>
        )}
      </Actions>
    </Dialog>
  );
}

/** Assigns records step by step, and says how far it is; closing the dialog ends it. */
function useAssignment() {
  const [work, setWork] = useState<AssignmentState>({});
  const leaving = useRef<AbortController>(undefined);
  useEffect(() => () => leaving.current?.abort(), []);
  const assign = async (wish: Wish, recordIds: string[] | undefined, signal: AbortSignal) => {
    const waiting =
      recordIds ??
      (await readWaiting(wish, {
        told: (count) => setWork({ sentence: `Reading what waits: ${countOf(count, 'record')} …` }),
        signal,
      }));
    const assigned = await assignDrawn(waiting, {
      ...wish,
      told: (done, all) =>
        setWork({ sentence: `Assigning: ${formatCount(done)} of ${formatCount(all)} …` }),
      signal,
    });
    setWork({ assigned });
  };
  const start = (wish: Wish, recordIds: string[] | undefined) => {
    const controller = new AbortController();
    const { signal } = controller;
    leaving.current = controller;
    setWork({ sentence: 'Assigning …' });
    assign(wish, recordIds, signal).catch((error: Error) => {
      if (!signal.aborted) setWork({ error });
    });
  };
  return { work, start };
}
