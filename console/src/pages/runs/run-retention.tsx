import type { ReplyOf } from '@assay/client/operations';
import { useState } from 'react';
import { useChange, useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Field, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useSettled } from '../../parts/settled.ts';
import { countOf, formatCount } from '../../text/format.ts';
import { runName } from '../../text/names.ts';

type Retention = ReplyOf<'GET', '/projects/:projectId/run-retention'>;

const daysMax = 36_500;

/** The button that opens the rule for how long runs of a project are kept. */
export function RunRetention({ projectId }: { projectId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const project = useReading('/projects/:projectId', { params: { projectId } });
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Retention</Button>
      {isOpen && project.data && (
        <RetentionDialog
          projectId={projectId}
          days={project.data.runRetentionDays}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}

function RetentionDialog({
  projectId,
  days,
  onClose,
}: {
  projectId: string;
  days: number | undefined;
  onClose: () => void;
}) {
  const [typed, setTyped] = useState(days === undefined ? '' : String(days));
  const change = useChange('PATCH', '/projects/:projectId', {
    refreshes: ['/projects/:projectId'],
  });
  const problem = problemAt(change.error, '/runRetentionDays');
  return (
    <FormDialog
      title="How long runs are kept"
      button="Save"
      change={{ ...change, error: problem ? null : change.error }}
      submit={() => {
        const runRetentionDays = typed === '' ? null : Number(typed);
        change.mutate(
          { params: { projectId }, body: { runRetentionDays } },
          { onSuccess: onClose },
        );
      }}
      onClose={onClose}
    >
      <Field
        label="Days after the last change"
        name="days"
        type="number"
        min={1}
        max={daysMax}
        step={1}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        problem={problem}
        hint="Then a run expires: its results stay in lists, and its records go. A run that is a baseline, or in which anything is labelled, annotated, commented or linked, stays whole. Empty: runs are kept for ever."
      />
      <DryRun projectId={projectId} typed={typed} />
    </FormDialog>
  );
}

/** The runs that would go now by the days that are typed. */
function DryRun({ projectId, typed }: { projectId: string; typed: string }) {
  const days = Number(useSettled(typed));
  const isAsked = Number.isInteger(days) && days >= 1 && days <= daysMax;
  const dryRun = useReading('/projects/:projectId/run-retention', {
    params: { projectId },
    query: { days },
    isEnabled: isAsked,
  });
  if (!isAsked) return <p role="status">Nothing would go.</p>;
  if (dryRun.error) return <Problem error={dryRun.error} retry={() => void dryRun.refetch()} />;
  return (
    <section aria-label="What would go now">
      <p role="status">{dryRun.data ? goingInWords(dryRun.data) : 'Looking at what would go …'}</p>
      {dryRun.data && dryRun.data.first.length > 0 && (
        <ul>
          {dryRun.data.first.slice(0, namedMax).map((run) => (
            <li key={run.id}>{runName(run)}</li>
          ))}
          {dryRun.data.runs > namedMax && (
            <li>and {formatCount(dryRun.data.runs - namedMax)} more</li>
          )}
        </ul>
      )}
    </section>
  );
}

/** Runs that are named. */
const namedMax = 5;

function goingInWords({ runs, records, kept, hasMore }: Retention): string {
  const going =
    runs === 0
      ? 'No run would go now'
      : `${countOf(runs, 'run')} with ${countOf(records, 'record')} would go now`;
  const reasons = Object.entries(kept).flatMap(([reason, count]) =>
    count > 0 ? [`${formatCount(count)} ${reasonsInWords[reason as keyof Retention['kept']]}`] : [],
  );
  const staying = reasons.length > 0 ? `; of the others as old, ${reasons.join(', ')}` : '';
  return `${going}${staying}.${hasMore ? ' These are the oldest runs: there are more.' : ''}`;
}

const reasonsInWords: Record<keyof Retention['kept'], string> = {
  running: 'still running',
  baseline: 'kept as baseline',
  labelled: 'labelled',
  commented: 'commented',
  annotated: 'annotated',
  linked: 'linked to traces',
};
