import { Retention } from '../../parts/retention.tsx';

/** The rule for how long traces of a project are kept. */
export const TraceRetention = ({ projectId }: { projectId: string }) => (
  <Retention
    projectId={projectId}
    rule="traceRetentionDays"
    title="How long traces are kept"
    label="Days after the last span"
    daysMin={0}
    hint="For spans that come from now on. With 0 a trace goes an hour after its last span, and nothing keeps it. Empty: the rule of this installation. Otherwise a trace stays that a record, a testcase or an annotation needs."
  />
);
