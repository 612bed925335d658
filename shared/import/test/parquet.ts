import type { SchemaElement } from 'hyparquet';
import { ByteWriter, parquetWrite } from 'hyparquet-writer';

type Columns = Parameters<typeof parquetWrite>[0]['columnData'];

/** A file of Parquet, compressed by Snappy, as the writer does by itself. */
export function parquet(
  columnData: Columns,
  rowGroupSize?: number,
  schema?: SchemaElement[],
): Uint8Array {
  const writer = new ByteWriter();
  parquetWrite({
    writer,
    columnData,
    ...(rowGroupSize === undefined ? {} : { rowGroupSize }),
    ...(schema ? { schema } : {}),
  });
  return new Uint8Array(writer.getBuffer());
}
