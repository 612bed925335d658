import { JsonText, type Payload } from '@assay/contracts/payload';
import type { ExportedRecord } from '../../store/export.ts';
import type { ColumnValues, ParquetPart, ParquetTask, RowGroup } from './parquet-encoding.ts';
import type { Cell, Column, Row, Table } from './table.ts';

/**
 * A row group is held whole, here and where it is encoded. A record that is larger is alone in one.
 */
const groupBytesMax = 4 * 1024 * 1024;
const groupRowsMax = 20_000;

/**
 * A Parquet file, made a row group at a time; the next one is gathered when the last one was taken.
 */
export async function* parquetOf(
  { columns, rowOf }: Table,
  batches: AsyncIterable<ExportedRecord[]>,
  encode: (task: ParquetTask) => Promise<ParquetPart>,
): AsyncGenerator<Uint8Array> {
  const rowGroups: RowGroup[] = [];
  let offset = 0;

  async function write(next: ParquetTask['next']): Promise<Uint8Array> {
    const { bytes, rowGroup } = await encode({ columns, offset, next });
    if (rowGroup) rowGroups.push(rowGroup);
    offset += bytes.length;
    return bytes;
  }

  let group: GatheredRow[] = [];
  let groupBytes = 0;
  for await (const records of batches) {
    for (const record of records) {
      const row = rowOf(record);
      const bytes = bytesOf(row);
      if (
        group.length === groupRowsMax ||
        (group.length > 0 && groupBytes + bytes > groupBytesMax)
      ) {
        const values = valuesOf(columns, group);
        group = [];
        groupBytes = 0;
        yield write({ values });
      }
      group.push(await gather(row));
      groupBytes += bytes;
    }
  }
  if (group.length > 0) yield write({ values: valuesOf(columns, group) });
  yield write({ rowGroups });
}

/** The memory of a task that another thread can be given, where it would take a copy otherwise. */
export const memoryOf = ({ next }: ParquetTask): ArrayBuffer[] =>
  'values' in next
    ? next.values.flatMap((values) => (Array.isArray(values) ? [] : [values.bytes.buffer]))
    : [];

/** A row's cells, payloads as the stretches of their bytes. */
type GatheredRow = (Cell | Uint8Array[])[];

async function gather({ about, payloads, results }: Row): Promise<GatheredRow> {
  const read: Uint8Array[][] = [];
  for (const payload of payloads)
    read.push(payload instanceof JsonText ? [payload.bytes] : await stretchesOf(payload.read()));
  return [...about, ...read, ...results];
}

async function stretchesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array[]> {
  const stretches: Uint8Array[] = [];
  for await (const chunk of chunks) stretches.push(chunk);
  return stretches;
}

const bytesOf = ({ about, payloads, results }: Row): number =>
  payloads.reduce((sum, payload) => sum + lengthOf(payload), 0) +
  [...about, ...results].reduce<number>((sum, cell) => sum + cellBytes(cell), 0);

function cellBytes(cell: Cell): number {
  if (typeof cell === 'string') return cell.length;
  return cell === null ? 1 : 8;
}

const lengthOf = (payload: Payload): number =>
  payload instanceof JsonText ? payload.bytes.length : payload.byteLength;

const valuesOf = (columns: Column[], group: GatheredRow[]): ColumnValues[] =>
  columns.map(({ type }, at) =>
    type === 'payload'
      ? packed(group.map((row) => row[at] as Uint8Array[]))
      : group.map((row) => row[at] as Cell),
  );

/**
 * Texts in memory of their own, which can be handed to another thread: they stand in that of whole
 * batches of records.
 */
function packed(texts: Uint8Array[][]): ColumnValues {
  const lengths = Uint32Array.from(texts, (stretches) =>
    stretches.reduce((sum, { length }) => sum + length, 0),
  );
  const bytes = new Uint8Array(lengths.reduce((sum, length) => sum + length, 0));
  let at = 0;
  for (const stretch of texts.flat()) {
    bytes.set(stretch, at);
    at += stretch.length;
  }
  return { bytes, lengths };
}
