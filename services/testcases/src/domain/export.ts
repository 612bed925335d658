import type { StreamReply } from '@assay/contracts/define';
import { topLevelKeys } from '@assay/json-schema/keys';
import { scanMembers } from '@assay/runtime/json-scan';
import { stringify } from 'csv-stringify/sync';
import type { StoredTestcase } from '../store.ts';
import { columnTypesOf, writeCell, writeKey } from './csv.ts';
import type { Definition } from './definitions.ts';

export type ExportFormat = 'ndjson' | 'csv' | 'json';

/** Pieces of about this size are sent: one a testcase would cost more than its data. */
const pieceBytes = 64 * 1024;

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
  if (format === 'csv') return { contentType: 'text/csv; charset=utf-8', stream: inPieces(csvOf(definition, testcases)) };
  if (format === 'json') return { contentType: 'application/json; charset=utf-8', stream: inPieces(arrayOf(testcases)) };
  return { contentType: 'application/x-ndjson', stream: inPieces(linesOf(testcases)) };
}

async function* linesOf(testcases: AsyncIterable<StoredTestcase>): AsyncGenerator<Uint8Array> {
  for await (const { jsonData } of testcases) {
    yield onOneLine(jsonData);
    yield newline;
  }
}

async function* arrayOf(testcases: AsyncIterable<StoredTestcase>): AsyncGenerator<Uint8Array> {
  let separator = Buffer.from('[');
  for await (const { jsonData } of testcases) {
    yield separator;
    yield jsonData;
    separator = Buffer.from(',\n');
  }
  yield Buffer.from(separator.length === 1 ? '[]\n' : ']\n');
}

/** Columns: the keys of the mapping by role, then those that only the schema has. Data under other keys has no column. */
async function* csvOf({ schemaText, fieldMapping }: Definition, testcases: AsyncIterable<StoredTestcase>): AsyncGenerator<Uint8Array> {
  const { inputs, expected, metadata } = fieldMapping;
  const keys = [...new Set([...inputs, ...expected, ...metadata, ...topLevelKeys(schemaText)])];
  const typesOf = columnTypesOf(schemaText);
  const columns = keys.map((key) => ({ key, types: typesOf(key) }));
  yield csvLine(keys.map(writeKey));
  for await (const { jsonData } of testcases) {
    const members = scanMembers(jsonData, 0);
    yield csvLine(
      columns.map(({ key, types }) => {
        const span = members.get(key);
        return span && writeCell(Buffer.from(jsonData.subarray(span.start, span.end)).toString(), types);
      }),
    );
  }
}

/** Empty text is quoted, and so told from a key that is not there. */
const csvLine = (cells: (string | undefined)[]): Buffer => Buffer.from(stringify([cells], { quoted_match: /^$/ }));

const newline = Buffer.from('\n');

/** In JSON a line break stands between tokens only: without it the text means the same. */
function onOneLine(json: Uint8Array): Uint8Array {
  return json.includes(0x0a) || json.includes(0x0d) ? json.filter((byte) => byte !== 0x0a && byte !== 0x0d) : json;
}

async function* inPieces(parts: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of parts) {
    waiting.push(part);
    bytes += part.length;
    if (bytes < pieceBytes) continue;
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
