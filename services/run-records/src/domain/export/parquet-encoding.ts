import {
  ByteWriter,
  type ColumnSource,
  ParquetWriter,
  schemaFromColumnData,
} from 'hyparquet-writer';
import type { Cell, Column } from './table.ts';

/** The entry of a row group in the footer of a Parquet file. */
export type RowGroup = ParquetWriter['row_groups'][number];

/** The values of a column: as they are, or as UTF-8 one after the other. */
export type ColumnValues = Cell[] | { bytes: Uint8Array<ArrayBuffer>; lengths: Uint32Array };

/** The next part of a Parquet file to encode: a row group, or the footer. */
export interface ParquetTask {
  columns: Column[];
  /** Bytes of the file that are written already. */
  offset: number;
  next: { values: ColumnValues[] } | { rowGroups: RowGroup[] };
}

export interface ParquetPart {
  bytes: Uint8Array<ArrayBuffer>;
  rowGroup?: RowGroup;
}

/**
 * Encodes the next part of a Parquet file. Pure, and heavy: it runs in a worker, which keeps
 * nothing of the file in between.
 */
export function encodeParquet({ columns, offset, next }: ParquetTask): ParquetPart {
  const writer = new ByteWriter();
  const parquet = new ParquetWriter({
    writer,
    schema: schemaFromColumnData({ columnData: columns.map((column) => sourceOf(column, [])) }),
  });
  // The writer begins with the first bytes of a file, which stand in its first part alone.
  if (offset > 0) Object.assign(writer, { index: 0, offset });
  if ('values' in next) {
    const columnData = columns.map((column, at) => sourceOf(column, next.values[at]!));
    parquet.write({ columnData, rowGroupSize: columnData[0]!.data.length });
    return { bytes: bytesOf(writer), rowGroup: parquet.row_groups[0]! };
  }
  parquet.row_groups = next.rowGroups;
  parquet.num_rows = next.rowGroups.reduce((sum, { num_rows }) => sum + num_rows, 0n);
  parquet.finish();
  return { bytes: bytesOf(writer) };
}

const types = {
  text: 'STRING',
  payload: 'STRING',
  instant: 'TIMESTAMP',
  boolean: 'BOOLEAN',
  int: 'INT32',
  float: 'DOUBLE',
} as const;

/**
 * Writes statistics only for columns that readers select by: statistics of texts would keep the
 * texts in memory until the file ends.
 */
const sourceOf = ({ name, type, isRequired }: Column, values: ColumnValues): ColumnSource => ({
  name,
  type: types[type],
  nullable: !isRequired,
  statistics: type !== 'text' && type !== 'payload',
  data: Array.isArray(values) ? values : textsOf(values),
});

function textsOf({ bytes, lengths }: Exclude<ColumnValues, Cell[]>): Uint8Array[] {
  let end = 0;
  return Array.from(lengths, (length) => {
    end += length;
    return bytes.subarray(end - length, end);
  });
}

/** Without the room that the writer has left: a copy to another thread takes the whole memory. */
const bytesOf = (writer: ByteWriter): Uint8Array<ArrayBuffer> => new Uint8Array(writer.getBuffer());
