import { useState } from 'react';
import { useChange, useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Field, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';

/** The button that opens the rule for how long traces of a project are kept. */
export function Retention({ projectId }: { projectId: string }) {
  const [isOpen, setIsOpen] = useState(false);
  const project = useReading('/projects/:projectId', { params: { projectId } });
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Retention</Button>
      {isOpen && project.data && (
        <RetentionDialog
          projectId={projectId}
          days={project.data.traceRetentionDays}
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
  const change = useChange('PATCH', '/projects/:projectId', {
    refreshes: ['/projects/:projectId'],
  });
  const problem = problemAt(change.error, '/traceRetentionDays');
  return (
    <FormDialog
      title="How long traces are kept"
      button="Save"
      change={{ ...change, error: problem ? null : change.error }}
      submit={(form) => {
        const typed = `${form.get('days')}`;
        const traceRetentionDays = typed === '' ? null : Number(typed);
        change.mutate(
          { params: { projectId }, body: { traceRetentionDays } },
          { onSuccess: onClose },
        );
      }}
      onClose={onClose}
    >
      <Field
        label="Days after the last span"
        name="days"
        type="number"
        min={0}
        max={36_500}
        step={1}
        defaultValue={days}
        problem={problem}
        hint="For spans that come from now on. With 0 a trace goes an hour after its last span, and nothing keeps it. Empty: the rule of this installation. Otherwise a trace stays that a record, a testcase or an annotation needs."
      />
    </FormDialog>
  );
}
