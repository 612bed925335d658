import { type ReactNode, useState } from 'react';
import { useChange, useReading } from '../api/query.ts';
import { Button } from './button.tsx';
import { Field, problemAt } from './field.tsx';
import { FormDialog } from './form-dialog.tsx';

export const retentionDaysMax = 36_500;

/** A rule of a project for how long something is kept, and its words. */
interface RetentionRule {
  projectId: string;
  rule: 'runRetentionDays' | 'traceRetentionDays';
  title: string;
  label: string;
  hint: string;
  daysMin: number;
  /** Shown below the days, for the days that are typed. */
  children?: (typed: string) => ReactNode;
}

/** The button that opens a rule for how long something of a project is kept. */
export function Retention(rule: RetentionRule) {
  const [isOpen, setIsOpen] = useState(false);
  const { projectId } = rule;
  const project = useReading('/projects/:projectId', { params: { projectId } });
  return (
    <>
      <Button onClick={() => setIsOpen(true)}>Retention</Button>
      {isOpen && project.data && (
        <RetentionDialog
          {...rule}
          days={project.data[rule.rule]}
          onClose={() => setIsOpen(false)}
        />
      )}
    </>
  );
}

function RetentionDialog({
  projectId,
  rule,
  title,
  label,
  hint,
  daysMin,
  children,
  days,
  onClose,
}: RetentionRule & { days: number | undefined; onClose: () => void }) {
  const [typed, setTyped] = useState(days === undefined ? '' : String(days));
  const change = useChange('PATCH', '/projects/:projectId', {
    refreshes: ['/projects/:projectId'],
  });
  const problem = problemAt(change.error, `/${rule}`);
  return (
    <FormDialog
      title={title}
      button="Save"
      change={{ ...change, error: problem ? null : change.error }}
      submit={() =>
        change.mutate(
          { params: { projectId }, body: { [rule]: typed === '' ? null : Number(typed) } },
          { onSuccess: onClose },
        )
      }
      onClose={onClose}
    >
      <Field
        label={label}
        name="days"
        type="number"
        min={daysMin}
        max={retentionDaysMax}
        step={1}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
        problem={problem}
        hint={hint}
      />
      {children?.(typed)}
    </FormDialog>
  );
}
