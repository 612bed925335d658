import { escapeFormula } from '@assay/contracts/spreadsheet-text';
import { onOneLine } from '@assay/runtime/http/chunks';
import { type Options, stringify } from 'csv-stringify/sync';
import type { ExportedRecord } from '../../store/export.ts';
import { type Part, partOf, readyBytes } from './ready-bytes.ts';
import type { Cell, Table } from './table.ts';

/**
 * A header line and a line a record. Payloads are written past csv-stringify, as bytes: the text of
 * an object is never a formula.
 */
export async function* csvOf(
  { columns, rowOf }: Table,
  batches: AsyncIterable<ExportedRecord[]>,
): AsyncGenerator<Uint8Array[]> {
  yield [Buffer.from(`${scoreStatesOf(columns.map(({ name }) => name))}\n`)];

  function partsOf(record: ExportedRecord): Part[] {
    const { about, payloads, results } = rowOf(record);
    return [
      scoreStatesOf(about),
      ...payloads.flatMap((payload) => [',"', partOf(payload), '"']),
      results.length > 0 ? `,${scoreStatesOf(results)}\n` : '\n',
    ];
  }

  yield* readyBytes(batches, { partsOf, rewrite: (json) => withDoubledQuotes(onOneLine(json)) });
}

const options: Options = {
  eof: false,
  // csv-stringify's escape_formulas leaves line feeds out, and escapes numbers.
  cast: { string: escapeFormula, date: (instant) => instant.toISOString(), boolean: String },
};

const scoreStatesOf = (cells: Cell[]): string => stringify([cells], options);

const quote = 0x22;

/** Most stretches of a long text have none: to look for one is a tenth of copying them. */
function withDoubledQuotes(bytes: Uint8Array): Uint8Array {
  if (!bytes.includes(quote)) return bytes;
  const doubled = Buffer.allocUnsafe(bytes.length * 2);
  let to = 0;
  for (let at = 0; at < bytes.length; at++) {
    const byte = bytes[at]!;
    doubled[to++] = byte;
    if (byte === quote) doubled[to++] = quote;
  }
  return doubled.subarray(0, to);
}
