import type { ReplyOf } from '@assay/client/operations';
import { useMemo, useState } from 'react';
import { useChange, useReading } from '../../api/query.ts';
import { Field, problemAt } from '../../parts/field.tsx';
import { FormDialog } from '../../parts/form-dialog.tsx';
import { NameChoice } from '../../parts/name-choice/name-choice.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf, visible } from '../../text/format.ts';
import { indentedJson } from '../../text/json.ts';
import { fieldsOf, type Field as TestsetField } from '../testset/fields.ts';
import { errorsByField } from '../testset/testcase.ts';
import { AddedTestcase } from './added-testcase.tsx';
import { mappingFor } from './testcase-mapping.ts';
import { useTestcaseCheck, useTraceParts } from './use-testcase-check.ts';

type Testset = ReplyOf<'GET', '/testsets/:testsetId'>;

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
    query: { limit: 1 },
  });
  const [chosenId, setChosen] = useState<string>();
  const chosen = useReading('/testsets/:testsetId', {
    params: { testsetId: chosenId ?? '' },
    isEnabled: chosenId !== undefined,
  });
  const testset = chosenId === undefined ? testsets.data?.data[0] : chosen.data;
  const add = useChange('POST', '/testsets/:testsetId/testcases/from-traces', {
    refreshes: ['/testsets/:testsetId/testcases', '/traces/:traceId'],
  });
  const { places, mapping, change, error } = useMapping(testset, traceId);
  const check = useTestcaseCheck({ testsetId: testset?.id, traceId, mapping });
  const fields = testset ? fieldsOf(testset) : [];
  const { testcase } = check;
  const errors = errorsByField(testcase ?? {}, fields);
  const isThere = testcase !== undefined && testcase.id !== null;
  const made = add.data?.items[0];
  if (made?.id && testset)
    return (
      <AddedTestcase
        projectId={projectId}
        traceId={traceId}
        testset={testset}
        testcaseId={made.id}
        isNew={made.created}
        onClose={onClose}
      />
    );
  const problemOf = ({ name }: TestsetField) =>
    problemAt(check.error, `/mapping/${name}`) ??
    problemAt(add.error, `/mapping/${name}`) ??
    errors.get(name)?.join(' ');
  return (
    <FormDialog
      title="Add to a testset"
      button={testcase?.validationErrors ? 'Add it all the same' : 'Add'}
      isDisabled={!check.isCurrent || check.error !== null || !testcase || isThere}
      change={add}
      onClose={onClose}
      submit={() => {
        if (testset && mapping)
          add.mutate({
            params: { testsetId: testset.id },
            body: { traceIds: [traceId], mapping },
          });
      }}
    >
      <NameChoice
        projectId={projectId}
        label="Testset"
        kind="testset"
        value={chosenId ?? testset?.id}
        choose={setChosen}
      />
      {chosen.error && <Problem error={chosen.error} retry={() => void chosen.refetch()} />}
      {testsets.data?.data.length === 0 && <p>The project has no testsets yet.</p>}
      {testset && fields.length === 0 && (
        <p>The testset has no fields yet: write a schema first.</p>
      )}
      {error && <Problem error={error} />}
      {places &&
        fields.map((field, at) => (
          <Field
            key={field.name}
            label={visible(field.name)}
            value={places?.[field.name] ?? ''}
            onChange={({ target }) => change(field.name, target.value)}
            hint={at === 0 ? 'Such as /input, /output/answer or span:retrieve/output/0' : undefined}
            problem={problemOf(field)}
          />
        ))}
      <div role="status">
        {testcase && <pre>{visible(indentedJson(testcase.jsonData))}</pre>}
        {testcase?.validationErrors && (
          <p>
            ! It would break the schema in {countOf(testcase.validationErrors.length, 'place')}.
          </p>
        )}
        {errors.get(undefined)?.map((message) => (
          <p key={message}>! {message}</p>
        ))}
        {isThere && <p>The testset has a testcase of this trace already, which stays as it is.</p>}
      </div>
    </FormDialog>
  );
}

/** The place of each field in the trace: the likeliest, until somebody types another. */
function useMapping(testset: Testset | undefined, traceId: string) {
  const parts = useTraceParts(testset?.id, traceId);
  const [typed, setTyped] = useState<{ testsetId: string; places: Record<string, string> }>();
  const likely = useMemo(
    () => (testset && parts.data ? Object.fromEntries(mappingFor(testset, parts.data)) : undefined),
    [testset, parts.data],
  );
  const ofTestset = typed && typed.testsetId === testset?.id ? typed.places : likely;
  const mapping = useMemo(
    () =>
      ofTestset &&
      Object.fromEntries(
        Object.entries(ofTestset).flatMap(([name, place]) =>
          place.trim() === '' ? [] : [[name, place.trim()]],
        ),
      ),
    [ofTestset],
  );
  return {
    places: ofTestset,
    mapping,
    change: (name: string, place: string) => {
      if (testset) setTyped({ testsetId: testset.id, places: { ...ofTestset, [name]: place } });
    },
    error: parts.error,
  };
}
