import type { StreamReply } from '@assay/contracts/define';
import { topLevelKeys } from '@assay/json-schema/keys';
import { inChunks, onOneLine } from '@assay/runtime/http/chunks';
import { scanMembers } from '@assay/runtime/json/scan';
import { stringify } from 'csv-stringify/sync';
import type { StoredTestcase } from '../store.ts';
import { columnTypesOf, writeCell, writeKey } from './csv.ts';
import type { Definition } from './definitions.ts';

export type ExportFormat = 'ndjson' | 'csv' | 'json';

/** The data of all testcases, oldest first, made as it is sent. */
export function exportTestcases({
  format,
  definition,
  testcases,
}: {
  format: ExportFormat;
  definition: Definition;
  testcases: AsyncIterable<StoredTestcase>;
}): StreamReply {
  if (format === 'csv')
    return {
      contentType: 'text/csv; charset=utf-8',
      stream: inChunks(csvOf(definition, testcases)),
    };
  if (format === 'json')
    return { contentType: 'application/json; charset=utf-8', stream: inChunks(arrayOf(testcases)) };
  return { contentType: 'application/x-ndjson', stream: inChunks(linesOf(testcases)) };
}

async function* linesOf(testcases: AsyncIterable<StoredTestcase>): AsyncGenerator<Uint8Array[]> {
  for await (const { jsonData } of testcases) yield [onOneLine(jsonData), newline];
}

async function* arrayOf(testcases: AsyncIterable<StoredTestcase>): AsyncGenerator<Uint8Array[]> {
  let separator = Buffer.from('[');
  for await (const { jsonData } of testcases) {
    yield [separator, jsonData];
    separator = Buffer.from(',\n');
  }
  yield [Buffer.from(separator.length === 1 ? '[]\n' : ']\n')];
}

/**
 * Columns: the keys of the mapping by role, then those that only the schema has. Data under other
 * keys has no column.
 */
async function* csvOf(
  { schemaText, fieldMapping }: Definition,
  testcases: AsyncIterable<StoredTestcase>,
): AsyncGenerator<Uint8Array[]> {
  const { inputs, expected, metadata } = fieldMapping;
  const keys = [...new Set([...inputs, ...expected, ...metadata, ...topLevelKeys(schemaText)])];
  const typesOf = columnTypesOf(schemaText);
  const columns = keys.map((key) => ({ key, types: typesOf(key) }));
  yield [csvLine(keys.map(writeKey))];
  for await (const { jsonData } of testcases) {
    const members = scanMembers(jsonData, 0);
    const cells = columns.map(({ key, types }) => {
      const span = members.get(key);
      return (
        span && writeCell(Buffer.from(jsonData.subarray(span.start, span.end)).toString(), types)
      );
    });
    yield [csvLine(cells)];
  }
}

/** Empty text is quoted, and so told from a key that is not there. */
const csvLine = (cells: (string | undefined)[]): Buffer =>
  Buffer.from(stringify([cells], { quoted_match: /^$/ }));

const newline = Buffer.from('\n');
