import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import type { ItemOf } from '../../api/operations.ts';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import type { Column } from '../../parts/grid/columns.ts';
import { Popover } from '../../parts/popover.tsx';
import { visible } from '../../text/format.ts';
import { inOneLine, isPreview } from '../../text/json.ts';
import { pointersIn } from '../../text/pointers.ts';
import styles from './run.module.css';

const route = getRouteApi('/frame/projects/$projectId/runs/$runId');

type RecordItem = ItemOf<'/runs/:runId/records'>;

/** Pointers that a list takes, and their form (contract section 4). */
const columnsMax = 10;
const pointerCharactersMax = 1000;
const pointerForm = /^\/(?:inputs|outputs|expected)(?:\/(?:[^~/]|~[01])*)+$/;
/** Larger payloads are not looked into. */
const lookedIntoBytesMax = 256 * 1024;

const roots = ['inputs', 'outputs', 'expected'] as const;

const isPointer = (text: string): boolean =>
  text.length <= pointerCharactersMax && pointerForm.test(text);

/** The columns of values inside of the payloads. The URL has their JSON Pointers. */
export function useAddedColumns() {
  const { column = [] } = route.useSearch();
  const navigate = route.useNavigate();
  const pointers = [...new Set(column)].filter(isPointer).slice(0, columnsMax);
  const set = (chosen: string[]) =>
    void navigate({
      search: (before) => ({ ...before, column: chosen.length > 0 ? chosen : undefined }),
      resetScroll: false,
    });
  return {
    pointers,
    add: (pointer: string) => set([...pointers, pointer]),
    remove: (pointer: string) => set(pointers.filter((one) => one !== pointer)),
  };
}

type AddedColumns = ReturnType<typeof useAddedColumns>;

/** Adds a column: of a value that rows of this page have, or of another that a person names. */
export function AddColumn({ added, records }: { added: AddedColumns; records: RecordItem[] }) {
  const [offered, setOffered] = useState<string[]>([]);
  const [problem, setProblem] = useState<string>();
  const isFull = added.pointers.length >= columnsMax;
  const others = offered.filter((pointer) => !added.pointers.includes(pointer));
  return (
    <Popover label="Add column" onOpen={() => setOffered(seenIn(records))}>
      {isFull && <p>A list has at most {columnsMax} columns of this kind.</p>}
      <ul className={styles.menu} hidden={isFull}>
        {others.map((pointer) => (
          <li key={pointer}>
            <Button kind="quiet" onClick={() => added.add(pointer)}>
              {nameOf(pointer)}
            </Button>
          </li>
        ))}
      </ul>
      <form
        className={styles.menu}
        hidden={isFull}
        onSubmit={(event) => {
          event.preventDefault();
          const pointer = `${new FormData(event.currentTarget).get('pointer')}`.trim();
          setProblem(isPointer(pointer) ? undefined : 'Must be a place such as /outputs/answer.');
          if (!isPointer(pointer)) return;
          event.currentTarget.reset();
          if (!added.pointers.includes(pointer)) added.add(pointer);
        }}
      >
        <Field label="Another JSON Pointer" name="pointer" required problem={problem} />
        <Button type="submit">Add</Button>
      </form>
    </Popover>
  );
}

/** The JSON Pointers in the previews of these records, payload by payload. */
const seenIn = (records: RecordItem[]): string[] =>
  roots.flatMap((root) => {
    const seen = new Set<string>();
    for (const { [root]: payload } of records)
      for (const pointer of pointersIn(isPreview(payload) ? payload.text : ''))
        seen.add(`/${root}${pointer}`);
    return [...seen].filter(isPointer);
  });

const nameOf = (pointer: string): string => visible(pointer.slice(1));

/** The columns that were added, for the grid. */
export const addedColumnsOf = (added: AddedColumns): Column<RecordItem>[] =>
  added.pointers.map((pointer) => ({
    id: `field ${pointer}`,
    name: nameOf(pointer),
    width: 200,
    head: (
      <Popover kind="quiet" label={nameOf(pointer)} title={`${nameOf(pointer)}: column`}>
        <Button kind="quiet" onClick={() => added.remove(pointer)}>
          Remove the column
        </Button>
      </Popover>
    ),
    cell: (record) => <span>{textAt(record, pointer)}</span>,
  }));

function textAt(record: RecordItem, pointer: string): string {
  const value = record.fields?.[pointer];
  if (value) return `${inOneLine(value.text)}${value.isCut ? ' …' : ''}`;
  const payload = record[roots.find((root) => pointer.startsWith(`/${root}/`))!];
  return isPreview(payload) && payload.bytes > lookedIntoBytesMax ? 'too large to look into' : '–';
}
