import { useMutation, useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useRef, useState } from 'react';
import { refresh } from '../../api/query.ts';
import { createFrom, type EntryAnswer, importEntries, newKey } from '../../api/testcases.ts';
import { Button } from '../../parts/button.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';
import { Field } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { ScrolledTable } from '../../parts/scrolled-table.tsx';
import { countOf, visible } from '../../text/format.ts';
import type { Field as SchemaField, Testset } from './fields.ts';
import { type PastedRows, pastedRows } from './pasted.ts';
import styles from './testset.module.css';

/** Testcases that one request creates, and rows that are pasted at once. */
const requestRowsMax = 100;
const rowsMax = 1000;

/**
 * The text that was pasted anywhere on the page but into a field; an empty one where somebody is to
 * paste, undefined where nobody is.
 */
export function usePastedRows() {
  const [text, setText] = useState<string>();
  useEffect(() => {
    const paste = (event: ClipboardEvent) => {
      const isField =
        event.target instanceof Element && event.target.matches('input, textarea, select');
      const pasted = event.clipboardData?.getData('text/plain');
      if (isField || !pasted) return;
      event.preventDefault();
      setText(pasted);
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, []);
  return [text, setText] as const;
}

/** Rows of a spreadsheet, shown and checked before they become testcases. */
export function PasteRows({
  testset,
  fields,
  text,
  setText,
  onClose,
}: {
  testset: Testset;
  fields: SchemaField[];
  text: string;
  setText: (text: string) => void;
  onClose: () => void;
}) {
  const { columns, rows } = useMemo(() => pastedRows(text, fields), [text, fields]);
  const isTooLong = rows.length > rowsMax;
  const check = useQuery({
    queryKey: ['check of pasted rows', testset.id, text],
    queryFn: ({ signal }) =>
      importEntries(
        testset.id,
        rows.map(({ json }) => json),
        { signal },
      ),
    enabled: rows.length > 0 && !isTooLong,
    gcTime: 0,
  });
  const create = useCreation(testset.id, rows);
  const invalid = (check.data ?? []).filter(({ validationErrors }) => validationErrors).length;
  if (rows.length === 0 || fields.length === 0)
    return (
      <Dialog title="Paste rows" onClose={onClose}>
        <RowsField fields={fields} setText={setText} onClose={onClose} />
      </Dialog>
    );
  return (
    <Dialog title="Paste rows" onClose={onClose}>
      <p role="status">
        {countOf(rows.length, 'row')}
        {check.data && `: ${rows.length - invalid} valid, ${invalid} invalid`}
        {check.isFetching && ', being checked …'}
      </p>
      <PastedTable columns={columns} rows={rows} answers={check.data ?? []} />
      {isTooLong && <p>These are more than {rowsMax} rows: import them as a file.</p>}
      {check.error && <Problem error={check.error} retry={() => void check.refetch()} />}
      {create.error && <Problem error={create.error} />}
      <Actions>
        <Button onClick={onClose}>Cancel</Button>
        <Button
          kind="main"
          disabled={!check.data || isTooLong}
          isBusy={create.isPending}
          onClick={() => create.mutate(undefined, { onSuccess: onClose })}
        >
          {invalid > 0 ? 'Add them all the same' : `Add ${countOf(rows.length, 'testcase')}`}
        </Button>
      </Actions>
    </Dialog>
  );
}

function RowsField({
  fields,
  setText,
  onClose,
}: {
  fields: SchemaField[];
  setText: (text: string) => void;
  onClose: () => void;
}) {
  if (fields.length === 0)
    return (
      <p>The testset has no fields yet: import the rows as a file, or write a schema first.</p>
    );
  const names = visible(fields.map(({ name }) => name).join(', '));
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        setText(`${new FormData(event.currentTarget).get('rows')}`);
      }}
    >
      <Field
        label="Rows of a spreadsheet"
        name="rows"
        rows={6}
        onPaste={({ clipboardData }) => setText(clipboardData.getData('text/plain'))}
        hint={`Copy them there, and paste them here or anywhere on the page. The columns are ${names}, unless the first row says otherwise.`}
      />
      <Actions>
        <Button onClick={onClose}>Cancel</Button>
        <Button kind="main" type="submit">
          Check
        </Button>
      </Actions>
    </form>
  );
}

/** Creates the rows, some in each request. A repeat goes on where the first try was cut. */
function useCreation(testsetId: string, rows: PastedRows['rows']) {
  const key = useRef(newKey());
  return useMutation({
    mutationFn: async () => {
      for (let from = 0; from < rows.length; from += requestRowsMax)
        await createFrom(
          testsetId,
          rows.slice(from, from + requestRowsMax).map(({ json }) => json),
          `${key.current}-${from}`,
        );
    },
    onSettled: () => refresh(['/testsets/:testsetId/testcases', '/testsets/:testsetId/changes']),
  });
}

function PastedTable({ columns, rows, answers }: PastedRows & { answers: EntryAnswer[] }) {
  return (
    <ScrolledTable label="Pasted rows">
      <thead>
        <tr>
          {columns.map((name, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the columns never change places.
            <th key={index}>{name === undefined ? <em>left out</em> : visible(name)}</th>
          ))}
        </tr>
      </thead>
      <tbody>
        {rows.slice(0, requestRowsMax).map(({ cells }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the rows never change places.
          <tr key={index}>
            {columns.map((_name, column) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: nor do their cells.
              <td key={column}>
                {visible(cells[column] ?? '')}
                {column === 0 && <RowProblem answer={answers[index]} />}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrolledTable>
  );
}

function RowProblem({ answer }: { answer: EntryAnswer | undefined }) {
  const problems = answer?.validationErrors?.map(({ message }) => message) ?? [];
  if (answer?.message) problems.push(answer.message);
  return problems.length > 0 ? (
    <p className={styles.problem}>✗ {visible(problems.join(' '))}</p>
  ) : null;
}
