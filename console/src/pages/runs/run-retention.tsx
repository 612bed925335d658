import type { ReplyOf } from '@assay/client/operations';
import { useReading } from '../../api/query.ts';
import { Problem } from '../../parts/problem.tsx';
import { Retention, retentionDaysMax } from '../../parts/retention.tsx';
import { useSettled } from '../../parts/settled.ts';
import { countOf, formatCount } from '../../text/format.ts';
import { runName } from '../../text/names.ts';

type DryRunReply = ReplyOf<'GET', '/projects/:projectId/run-retention'>;

const daysMin = 1;

/** The rule for how long runs of a project are kept, with the runs that would go by it. */
export const RunRetention = ({ projectId }: { projectId: string }) => (
  <Retention
    projectId={projectId}
    rule="runRetentionDays"
    title="How long runs are kept"
    label="Days after the last change"
    daysMin={daysMin}
    hint="Then a run expires: its results stay in lists, and its records go. A run that is a baseline, or in which anything is labelled, annotated, commented or linked, stays whole. Empty: runs are kept for ever."
  >
    {(typed) => <DryRun projectId={projectId} typed={typed} />}
  </Retention>
);

/** The runs that would go now by the days that are typed. */
function DryRun({ projectId, typed }: { projectId: string; typed: string }) {
  const days = Number(useSettled(typed));
  const isAsked = Number.isInteger(days) && days >= daysMin && days <= retentionDaysMax;
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

function goingInWords({ runs, records, kept, hasMore }: DryRunReply): string {
  const going =
    runs === 0
      ? 'No run would go now'
      : `${countOf(runs, 'run')} with ${countOf(records, 'record')} would go now`;
  const reasons = Object.entries(kept).flatMap(([reason, count]) =>
    count > 0
      ? [`${formatCount(count)} ${reasonsInWords[reason as keyof DryRunReply['kept']]}`]
      : [],
  );
  const staying = reasons.length > 0 ? `; of the others as old, ${reasons.join(', ')}` : '';
  return `${going}${staying}.${hasMore ? ' These are the oldest runs: there are more.' : ''}`;
}

const reasonsInWords: Record<keyof DryRunReply['kept'], string> = {
  running: 'still running',
  baseline: 'kept as baseline',
  labelled: 'labelled',
  commented: 'commented',
  annotated: 'annotated',
  linked: 'linked to traces',
};
