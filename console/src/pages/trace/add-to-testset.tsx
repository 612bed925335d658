import { useState } from 'react';
import { useChange, useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Choice, Field, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { countOf, visible } from '../../text/format.ts';
import { indentedJson } from '../../text/json.ts';

/** As many testsets are offered. */
const testsetsShown = 100;

/** Makes a testcase of a trace: each field of the testset with a place in the trace. */
export function AddToTestset({
  projectId,
  traceId,
  onClose,
}: {
  projectId: string;
  traceId: string;
  onClose: () => void;
}) {
  const testsets = useReading('/projects/:projectId/testsets', {
    params: { projectId },
    query: { limit: testsetsShown },
  });
  const [chosenId, setChosen] = useState<string>();
  const testset = testsets.data?.data.find(({ id }) => id === chosenId) ?? testsets.data?.data[0];
  const make = useChange('POST', '/testsets/:testsetId/testcases/from-traces', {
    refreshes: ['/testsets/:testsetId/testcases', '/traces/:traceId'],
  });
  const fields = testset ? fieldsOf(testset.fieldMapping) : [];
  const send = (form: FormData, dryRun: boolean) => {
    const mapping = Object.fromEntries(
      fields.flatMap(({ name }, at) => {
        const place = `${form.get(`${at}`)}`.trim();
        return place === '' ? [] : [[name, place] as const];
      }),
    );
    if (testset)
      make.mutate({
        params: { testsetId: testset.id },
        body: { traceIds: [traceId], mapping, dryRun },
      });
  };
  const made = make.data?.items[0];
  return (
    <FormDialog
      title="Add to a testset"
      button="Add"
      change={make}
      onClose={onClose}
      submit={(form) => send(form, false)}
    >
      <Choice
        label="Testset"
        value={testset?.id ?? ''}
        onChange={({ target }) => {
          setChosen(target.value);
          make.reset();
        }}
      >
        {testsets.data?.data.map(({ id, name }) => (
          <option key={id} value={id}>
            {visible(name)}
          </option>
        ))}
      </Choice>
      {testsets.data?.data.length === 0 && <p>The project has no testsets yet.</p>}
      {fields.map(({ name, place }, at) => (
        <Field
          key={`${testset?.id} ${name}`}
          label={visible(name)}
          name={`${at}`}
          defaultValue={place}
          hint={at === 0 ? 'Such as /input, /output/answer or span:retrieve/output/0' : undefined}
          problem={problemAt(make.error, `/mapping/${name}`)}
        />
      ))}
      <Button
        isBusy={make.isPending}
        disabled={!testset}
        onClick={({ currentTarget }) => send(new FormData(currentTarget.form!), true)}
      >
        Preview
      </Button>
      <div role="status">
        {made && (
          <>
            <pre>{visible(indentedJson(made.jsonData))}</pre>
            {made.validationErrors && (
              <p>! It breaks the schema in {countOf(made.validationErrors.length, 'place')}.</p>
            )}
            {made.created && <p>✓ It is in the testset.</p>}
            {made.id !== null && !made.created && (
              <p>The testset has a testcase of this trace already, which stays as it is.</p>
            )}
          </>
        )}
      </div>
    </FormDialog>
  );
}

/** The fields of a testset, with the places where most traces have them. */
const fieldsOf = ({
  inputs,
  expected,
  metadata,
}: {
  inputs: string[];
  expected: string[];
  metadata: string[];
}): { name: string; place: string }[] => [
  ...inputs.map((name, at) => ({ name, place: at === 0 ? '/input' : '' })),
  ...expected.map((name, at) => ({ name, place: at === 0 ? '/output' : '' })),
  ...metadata.map((name) => ({ name, place: '' })),
];
