import { JsonNumber } from '@assay/json/value';
import type { AsyncBuffer } from 'hyparquet';
import { defineFormat } from '../assemble.ts';
import type { Fields } from '../entity.ts';
import { ImportFailure } from '../failure.ts';
import type { Item, Reading } from '../item.ts';
import type { Lose } from '../reading/json-text.ts';
import { fieldsMax } from '../reading/limits.ts';
import { readBytes, type SourceFile } from '../source.ts';
import {
  ColumnTime,
  clockText,
  type TimesOfColumn,
  timeParsers,
  timesOfColumns,
} from './parquet-times.ts';
import { itemsOfRows, type TableRow } from './table-rows.ts';

/** Bytes of one row group, which is unpacked as a whole. */
const groupBytesMax = 512 * 1024 * 1024;

/** The rows of Parquet files, one row group after the other. */
async function* items({ source, options, lose }: Reading): AsyncGenerator<Item> {
  for (const file of source.files) yield* itemsOfRows(file, readParquet(file, lose), options);
}

/** The rows of one file, one row group after the other. */
export async function* readParquet(file: SourceFile, lose: Lose): AsyncGenerator<TableRow> {
  // Only here: each command would take a sixth longer to start with them.
  const { parquetMetadataAsync, parquetReadObjects, parquetSchema } = await import('hyparquet');
  const { compressors } = await import('hyparquet-compressors');
  const buffer = bufferOf(file);
  const metadata = await orDamaged(file, () => parquetMetadataAsync(buffer));
  if (metadata.schema.length > fieldsMax)
    throw new ImportFailure(
      { file: file.name },
      `has more than ${fieldsMax} columns, which is too many: leave out those that are not needed.`,
    );
  const times = timesOfColumns(parquetSchema(metadata));
  let rowStart = 0;
  for (const group of metadata.row_groups) {
    if (Number(group.total_byte_size) > groupBytesMax)
      throw new ImportFailure(
        { file: file.name },
        `has a row group of more than ${groupBytesMax / 1024 ** 2} MiB: write it again with smaller row groups.`,
      );
    const rowEnd = rowStart + Number(group.num_rows);
    const rows = await orDamaged(file, () =>
      parquetReadObjects({
        file: buffer,
        metadata,
        compressors,
        parsers: timeParsers,
        rowStart,
        rowEnd,
        utf8: false,
      }),
    );
    for (const [index, row] of rows.entries()) {
      const place = { file: file.name, at: `/${rowStart + index}` };
      const fields = Object.entries(row).map(([name, value]) => {
        const column = { ...times.get(name)!, lose: (reason: string) => lose(place, reason) };
        return [name, jsonOf(value, column)];
      });
      yield { fields: Object.fromEntries(fields) as Fields, columns: Object.keys(row), place };
    }
    rowStart = rowEnd;
  }
}

const bufferOf = (file: SourceFile): AsyncBuffer => ({
  byteLength: file.size,
  async slice(start, end) {
    return (await readBytes(file, start, end)).buffer as ArrayBuffer;
  },
});

async function orDamaged<Value>(file: SourceFile, read: () => Promise<Value>): Promise<Value> {
  try {
    return await read();
  } catch (error) {
    if (error instanceof ImportFailure) throw error;
    throw new ImportFailure(
      { file: file.name },
      'cannot be read as Parquet: it is cut off or damaged. Copy it again.',
      error,
    );
  }
}

interface Column extends TimesOfColumn {
  lose: (reason: string) => void;
}

/** A value of Parquet as JSON has it: lists and structures stay, bytes are lost. */
function jsonOf(value: unknown, column: Column): unknown {
  const { isLocal, clockUnit, lose } = column;
  if (value === undefined || value === null) return null;
  if (clockUnit !== undefined && (typeof value === 'bigint' || typeof value === 'number'))
    return clockText(value, clockUnit);
  if (typeof value === 'bigint') {
    const number = Number(value);
    return Number.isSafeInteger(number) ? number : new JsonNumber(String(value));
  }
  if (typeof value === 'number' && !Number.isFinite(value)) {
    lose('NaN and Infinity are no numbers of JSON: they became null.');
    return null;
  }
  if (value instanceof ColumnTime) return value.textIn(isLocal);
  if (ArrayBuffer.isView(value)) {
    lose('Bytes, such as of images, stay behind.');
    return null;
  }
  if (Array.isArray(value)) return value.map((item) => jsonOf(item, column));
  if (typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, item]) => [key, jsonOf(item, column)]),
  );
}

export const parquet = defineFormat({
  name: 'parquet',
  title: 'Parquet, as Hugging Face has datasets',
  isTable: true,
  detect: (head) => (new TextDecoder().decode(head.subarray(0, 4)) === 'PAR1' ? 0.95 : 0),
  items,
});
