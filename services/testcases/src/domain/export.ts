import type { StreamReply } from '@assay/contracts/define';
import { scanMembers } from '@assay/json/scan';
import { inChunks, onOneLine } from '@assay/runtime/http/chunks';
import { linesReply } from '@assay/runtime/http/lines';
import { stringify } from 'csv-stringify/sync';
import type { StoredTestcase } from '../store.ts';
import { columnTypesOf, dataColumns, writeCell, writeKey } from './csv.ts';
import type { Definition } from './definitions.ts';
import { keyColumn, writeEntry } from './entry.ts';

export type ExportFormat = 'ndjson' | 'csv' | 'json';

/**
 * The data of all testcases, oldest first, made as it is sent; with its key, where a testcase has
 * one.
 */
export function exportTestcases({
  format,
  definition,
  hasKeys,
  testcases,
}: {
  format: ExportFormat;
  definition: Definition;
  /** Whether a testcase of the testset has a key. */
  hasKeys: boolean;
  testcases: AsyncIterable<StoredTestcase>;
}): StreamReply {
  if (format === 'csv')
    return {
      contentType: 'text/csv; charset=utf-8',
      stream: inChunks(csvOf(definition, { hasKeys, testcases })),
    };
  if (format === 'json')
    return { contentType: 'application/json; charset=utf-8', stream: inChunks(arrayOf(testcases)) };
  return linesReply(linesOf(testcases));
}

async function* linesOf(testcases: AsyncIterable<StoredTestcase>): AsyncGenerator<Uint8Array[]> {
  for await (const { jsonData, key } of testcases)
    yield [...writeEntry(onOneLine(jsonData), key), newline];
}

async function* arrayOf(testcases: AsyncIterable<StoredTestcase>): AsyncGenerator<Uint8Array[]> {
  let separator = Buffer.from('[');
  for await (const { jsonData, key } of testcases) {
    yield [separator, ...writeEntry(jsonData, key)];
    separator = Buffer.from(',\n');
  }
  yield [Buffer.from(separator.length === 1 ? '[]\n' : ']\n')];
}

/**
 * Columns: the keys of the mapping by role, then those that only the schema has. Data under other
 * keys has no column. Keys of testcases have one before them, unless a field has its name.
 */
async function* csvOf(
  { schemaText, fieldMapping }: Definition,
  { hasKeys, testcases }: { hasKeys: boolean; testcases: AsyncIterable<StoredTestcase> },
): AsyncGenerator<Uint8Array[]> {
  const keys = dataColumns({ schemaText, fieldMapping });
  const typesOf = columnTypesOf(schemaText);
  const columns = keys.map((key) => ({ key, types: typesOf(key) }));
  const isKeyWritten = hasKeys && !keys.includes(keyColumn);
  yield [csvLine([...(isKeyWritten ? [keyColumn] : []), ...keys].map(writeKey))];
  for await (const { jsonData, key } of testcases) {
    const members = scanMembers(jsonData, 0);
    const cells = columns.map(({ key, types }) => {
      const span = members.get(key);
      return (
        span && writeCell(Buffer.from(jsonData.subarray(span.start, span.end)).toString(), types)
      );
    });
    yield [csvLine(isKeyWritten ? [key === undefined ? key : writeKey(key), ...cells] : cells)];
  }
}

/** Empty text is quoted, and so told from a key that is not there. */
const csvLine = (cells: (string | undefined)[]): Buffer =>
  Buffer.from(stringify([cells], { quoted_match: /^$/ }));

const newline = Buffer.from('\n');
