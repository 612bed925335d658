import { useChange } from '../../api/query.ts';
import { Field, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { changedByScoring } from './changed-by-scoring.ts';
import type { RunReply } from './use-live-run.ts';

/** Changes the budget of a run's judges. */
export function BudgetDialog({ run, onClose }: { run: RunReply; onClose: () => void }) {
  const change = useChange('PATCH', '/runs/:runId', {
    refreshes: changedByScoring,
  });
  return (
    <FormDialog
      title="Budget of the run"
      button="Save"
      change={change}
      onClose={onClose}
      submit={(form) => {
        const typed = `${form.get('budgetUsd')}`.trim();
        change.mutate(
          {
            params: { runId: run.id },
            body: { budgetUsd: typed === '' ? null : Number(typed) },
          },
          { onSuccess: onClose },
        );
      }}
    >
      <Field
        label="US dollars"
        name="budgetUsd"
        type="number"
        min={0}
        step="any"
        defaultValue={run.budgetUsd ?? ''}
        hint="When the judges have cost this much, they are not asked any more. Empty: no limit."
        problem={problemAt(change.error, '/budgetUsd')}
      />
    </FormDialog>
  );
}
