import { useChange } from '../../api/query.ts';
import { Field, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { labelTexts } from '../../text/names.ts';
import type { RunReply } from './use-live-run.ts';

/** Changes the name and the labels of a run. */
export function NameDialog({ run, onClose }: { run: RunReply; onClose: () => void }) {
  const change = useChange('PATCH', '/runs/:runId', {
    refreshes: ['/runs/:runId', '/projects/:projectId/runs'],
  });
  const written = labelTexts(run).join('\n');
  return (
    <FormDialog
      title="Name and labels"
      button="Save"
      change={change}
      onClose={onClose}
      submit={(form) => {
        change.mutate(
          {
            params: { runId: run.id },
            body: {
              name: `${form.get('name')}`.trim() || null,
              labels: labelsIn(`${form.get('labels')}`),
            },
          },
          { onSuccess: onClose },
        );
      }}
    >
      <Field
        label="Name"
        name="name"
        defaultValue={run.name ?? ''}
        problem={problemAt(change.error, '/name')}
      />
      <Field
        label="Labels"
        name="labels"
        rows={4}
        defaultValue={written}
        hint="One a line, such as commit:4f7c2aa."
      />
    </FormDialog>
  );
}

/** `key:value` a line; a line without a colon is a key whose value the API will miss. */
function labelsIn(text: string): Record<string, string> {
  const lines = text.split('\n').filter((line) => line.trim() !== '');
  return Object.fromEntries(
    lines.map((line) => {
      const [key = '', ...value] = line.split(':');
      return [key.trim(), value.join(':').trim()];
    }),
  );
}
