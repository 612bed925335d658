import { columnsOf } from '../../../files/columns.ts';
import { type Entry, readEntries } from '../../../files/entries.ts';
import { type FileFormat, formatOf } from '../../../files/format.ts';

/** Entries from which the types of columns are found out. */
const sampleEntries = 1000;
/** Bytes after which fewer are enough: an entry may have as many alone. */
const sampleBytes = 4 * 1024 * 1024;

/** The beginning of a file: its format, its columns, and some entries. */
export interface Sample {
  format: FileFormat;
  columns: string[];
  entries: Entry[];
}

/** Reads the beginning of a file, and no more. */
export async function sampleOf(file: File): Promise<Sample> {
  const format = await formatOf(file);
  const entries: Entry[] = [];
  let header: string[] = [];
  for await (const batch of readEntries(file, format)) {
    header = batch.header;
    for (const entry of batch.entries) entries.push(entry);
    if (entries.length >= sampleEntries) break;
    if (entries.length > 0 && batch.bytesRead >= sampleBytes) break;
  }
  const sample = entries.slice(0, sampleEntries);
  return {
    format,
    columns: format.kind === 'table' ? header : columnsOf(sample),
    entries: sample,
  };
}
