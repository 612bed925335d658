import { breakdownText } from '@assay/contracts/breakdown-text';
import type { Identity } from '@assay/contracts/define';
import type { Page, PageRequest } from '@assay/contracts/page';
import { JsonText } from '@assay/contracts/payload';
import { memberText } from '@assay/json-schema/member-text';
import { nextTurn } from '@assay/runtime/concurrency/event-loop';
import { pageBytesMax } from '@assay/runtime/mongo/within-bytes';
import type { StoredRecord } from '../../store/record.ts';
import type { RecordList } from '../../store/record-list.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';
import { bytesOf } from './payload-bytes.ts';
import type { RecordQuery } from './record-query.ts';

/** The records of one row of a breakdown: where its values are, and the one that they have. */
interface BreakdownRow {
  by: string;
  /** As the breakdown writes it; `none` for the records without one. */
  value: string;
}

/** The values of a record, of which a breakdown has a row each. */
type ReadValues = (record: StoredRecord) => Promise<string[]>;

type RowDependencies = Pick<Dependencies, 'store' | 'ask'>;

/** Records that are read at once: as many testcases as one question may name. */
const batchRecordsMax = 500;
/** Records that a page reads, so that it costs the same however rare the value is. */
const readMax = 2000;

/** The row that a query asks for, whose partners have been checked. */
export const breakdownRowOf = ({
  breakdownBy: by,
  breakdownValue: value,
}: RecordQuery): BreakdownRow | undefined =>
  by === undefined || value === undefined ? undefined : { by, value };

/**
 * Lists the records of a row of a breakdown, which the results service makes: both read a value by
 * `memberText`, so every record is found by the row that counts it.
 */
export const createRowList =
  ({ store, ask }: RowDependencies) =>
  async (
    identity: Identity,
    run: StoredRun,
    { row, list, page }: { row: BreakdownRow; list: Omit<RecordList, 'page'>; page: PageRequest },
  ): Promise<Page<StoredRecord>> => {
    const found: StoredRecord[] = [];
    let { after } = page;
    let read = 0;
    let largeBytes = 0;
    for (;;) {
      const batch = await store.records.list(identity.organizationId, {
        ...list,
        page: { limit: batchRecordsMax, after },
      });
      const valuesOf = await createReadValues({ ask }, identity, run, { row, batch: batch.items });
      for (const [index, record] of batch.items.entries()) {
        const turn = nextTurn();
        if (turn) await turn;
        const values = await valuesOf(record);
        if (row.value === 'none' ? values.length === 0 : values.includes(row.value))
          found.push(record);
        if (!(record.inputs instanceof JsonText)) largeBytes += record.inputs.byteLength;
        const isLast = index === batch.items.length - 1;
        if (!isLast && (found.length === page.limit || largeBytes > pageBytesMax))
          return { items: found, next: batch.nextAfter(index) };
      }
      read += batch.items.length;
      const isShort = batch.items.length < batchRecordsMax;
      const isFull = found.length === page.limit || largeBytes > pageBytesMax;
      if (batch.next === null || isShort || isFull || read >= readMax)
        return { items: found, next: batch.next };
      after = batch.next;
    }
  };

async function createReadValues(
  { ask }: Pick<RowDependencies, 'ask'>,
  identity: Identity,
  { testsetId }: StoredRun,
  { row: { by }, batch }: { row: BreakdownRow; batch: StoredRecord[] },
): Promise<ReadValues> {
  if (by === 'tags') return async ({ tags }) => tags.map(({ text }) => JSON.stringify(text));
  const place = by.startsWith('/inputs/') ? '/inputs' : '/metadata';
  const pointer = by.slice(place.length);
  if (place === '/inputs')
    return async ({ inputs }) => {
      const text = memberText(await bytesOf(inputs), pointer);
      return text === undefined ? [] : [breakdownText(text)];
    };
  const ids = [...new Set(batch.flatMap(({ testcaseId }) => testcaseId ?? []))];
  const { values } =
    testsetId === null || ids.length === 0
      ? { values: [] }
      : await ask.testcases.metadataAt(identity, { testsetId, ids, pointer });
  const texts = new Map(values.map(({ id, value }) => [id, value]));
  return async ({ testcaseId }) => {
    const text = testcaseId === null ? undefined : texts.get(testcaseId);
    return text == null ? [] : [breakdownText(text)];
  };
}
