import type { ReplyOf } from '@assay/client/operations';
import { useQuery } from '@tanstack/react-query';
import { useEffect } from 'react';
import { request } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { Id } from '../../parts/copy.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';
import { countOf, formatCount, visible } from '../../text/format.ts';
import { SchemaProblem } from './schema-problem.tsx';
import styles from './testset.module.css';

type Check = ReplyOf<'POST', '/testsets/:testsetId/check'>;

/** Testcases that are looked at before a schema is saved. */
const checkedMax = 100_000;

/** Counts the testcases that a schema would make invalid; where there are none, it is saved at once. */
export function SchemaCheck({
  testsetId,
  jsonSchema,
  save,
  onClose,
}: {
  testsetId: string;
  jsonSchema: object;
  save: () => void;
  onClose: () => void;
}) {
  const check = useQuery({
    queryKey: ['check of a schema', testsetId, jsonSchema],
    queryFn: ({ signal }) => checkAll(testsetId, jsonSchema, signal),
    gcTime: 0,
  });
  const isHarmless = check.data !== undefined && check.data.newlyInvalid === 0;
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, when the check is done.
  useEffect(() => {
    if (isHarmless) save();
  }, [isHarmless]);
  return (
    <Dialog title="Save the schema" onClose={onClose}>
      {check.isFetching && <p role="status">Checking the testcases …</p>}
      {check.error && <SchemaProblem error={check.error} />}
      {check.data && !isHarmless && <Harm check={check.data} />}
      <Actions>
        <Button onClick={onClose}>Back</Button>
        {check.data && (
          <Button kind="danger" onClick={save}>
            Save all the same
          </Button>
        )}
      </Actions>
    </Dialog>
  );
}

function Harm({ check: { checked, invalid, newlyInvalid, examples, next } }: { check: Check }) {
  return (
    <div className={styles.harm}>
      <p>
        <strong>
          {formatCount(newlyInvalid)} of {countOf(checked, 'testcase')} would become invalid
        </strong>
        {invalid > newlyInvalid && `, ${formatCount(invalid - newlyInvalid)} others are already`}
        {next !== null && ' (the oldest were looked at)'}. For example:
      </p>
      <ul className={styles.issues}>
        {examples.map(({ testcaseId, validationErrors }) => (
          <li key={testcaseId}>
            <Id id={testcaseId} />{' '}
            {visible(validationErrors.map(({ message }) => message).join(' '))}
          </li>
        ))}
      </ul>
    </div>
  );
}

/** Checks the testcases, some thousands in each request, and adds up the counts. */
async function checkAll(
  testsetId: string,
  jsonSchema: object,
  signal: AbortSignal,
): Promise<Check> {
  let sum: Check = { checked: 0, invalid: 0, newlyInvalid: 0, examples: [], next: null };
  do {
    const part = await request('POST', '/testsets/:testsetId/check', {
      params: { testsetId },
      body: { jsonSchema, ...(sum.next === null ? {} : { after: sum.next }) },
      signal,
    });
    sum = {
      checked: sum.checked + part.checked,
      invalid: sum.invalid + part.invalid,
      newlyInvalid: sum.newlyInvalid + part.newlyInvalid,
      examples: [...sum.examples, ...part.examples].slice(0, 10),
      next: part.next,
    };
  } while (sum.next !== null && sum.checked < checkedMax);
  return sum;
}
