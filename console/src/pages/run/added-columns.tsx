import type { ItemOf } from '@assay/client/operations';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import type { Column } from '../../parts/grid/columns.ts';
import { Popover } from '../../parts/popover.tsx';
import { visible } from '../../text/format.ts';
import { inOneLine, isPreview } from '../../text/json.ts';
import { pointerTo, tokensOf } from '../../text/pointer.ts';
import { pointersIn } from '../../text/pointers.ts';
import { tookAt, tookPointers } from '../../text/took.ts';
import styles from './run.module.css';

const route = getRouteApi('/frame/projects/$projectId/runs/$runId');

type RecordItem = ItemOf<'/runs/:runId/records'>;

/** Pointers that a list takes, and their form (contract section 4). */
const columnsMax = 10;
const pointerCharactersMax = 1000;
const pointerForm =
  /^\/(?:(?:inputs|outputs|expected|metadata)(?:\/(?:[^~/]|~[01])*)+|metrics\/(?:latencyMs|inputTokens|outputTokens|costUsd))$/;
/** Larger payloads are not looked into. */
const lookedIntoBytesMax = 256 * 1024;

/** Characters of a value of the metadata: as many as a cell can show. */
const shownCharacters = 200;

const roots = ['inputs', 'outputs', 'expected'] as const;

const isPointer = (text: string): boolean =>
  text.length <= pointerCharactersMax && pointerForm.test(text);

/** True of a place in a payload, of which a list has a preview. */
const isInPayload = (pointer: string): boolean => !/^\/(?:metrics|metadata)\//.test(pointer);

/** The columns of values inside of the records. The URL has their JSON Pointers. */
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
    /** Those of payloads, which a list has to be asked for. */
    fields: pointers.filter(isInPayload),
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

/** The JSON Pointers in these records: of what they took, their metadata, and their payloads. */
function seenIn(records: RecordItem[]): string[] {
  const isThere = (pointer: string) => records.some((record) => valueAt(record, pointer));
  const ofMetadata = records.flatMap(({ metadata = {} }) =>
    Object.keys(metadata).map((key) => pointerTo('/metadata', key)),
  );
  return [
    ...tookPointers.filter(isThere),
    ...new Set(ofMetadata.filter(isPointer)),
    ...seenInPayloads(records),
  ];
}

const seenInPayloads = (records: RecordItem[]): string[] =>
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

/** A metric of the record itself, or a value of its metadata; undefined where there is none. */
function valueAt({ metrics, metadata }: RecordItem, pointer: string): string | undefined {
  if (pointer.startsWith('/metrics/')) return tookAt(metrics, pointer);
  const value = tokensOf(pointer.slice('/metadata'.length)).reduce<unknown>(
    (inside, token) =>
      typeof inside === 'object' && inside !== null && Object.hasOwn(inside, token)
        ? (inside as Record<string, unknown>)[token]
        : undefined,
    metadata,
  );
  if (value === undefined) return undefined;
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return inOneLine(text.slice(0, shownCharacters));
}

function textAt(record: RecordItem, pointer: string): string {
  if (!isInPayload(pointer)) return valueAt(record, pointer) ?? '–';
  const value = record.fields?.[pointer];
  if (value) return `${inOneLine(value.text)}${value.isCut ? ' …' : ''}`;
  const payload = record[roots.find((root) => pointer.startsWith(`/${root}/`))!];
  return isPreview(payload) && payload.bytes > lookedIntoBytesMax ? 'too large to look into' : '–';
}
