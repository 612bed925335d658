import type { StreamReply } from '@assay/contracts/define';
import { Failure, invalidAt } from '@assay/contracts/failure';
import { JsonText } from '@assay/contracts/payload';
import { parsePart } from '@assay/runtime/http/body';
import { tooLarge } from '@assay/runtime/http/failures';
import { skipSpace } from '@assay/runtime/json/scan';
import { answerEntries, type Batch, type EntryAnswer } from '@assay/runtime/uploads/pipeline';
import {
  createElementSplitter,
  createLineSplitter,
  type Splitter,
} from '@assay/runtime/uploads/splitters';
import { createCsvSplitter } from './csv.ts';

export interface ImportedBody {
  /** Undefined where the request has no body at all. */
  stream: AsyncIterable<Uint8Array> | undefined;
  contentType: string | undefined;
}

interface StoredEntry {
  /** Undefined where the entry was only checked. */
  id?: string;
  validationErrors?: unknown;
}

/** Commits testcases, all or none; or checks them only. */
type Keep = (data: JsonText[]) => Promise<StoredEntry[]>;

/** Bytes of one entry: as much as the body of a testcase may have. */
const entryBytesMax = 4 * 1024 * 1024;

/** Testcases committed at once. */
const batchItemsMax = 500;

/**
 * Imports a body of any size: entries are committed as they come in, one batch after the other, and
 * each is answered after its commit.
 */
export async function importTestcases({
  body: { stream, contentType },
  schemaText,
  keep,
}: {
  body: ImportedBody;
  schemaText: string;
  keep: Keep;
}): Promise<StreamReply> {
  const answers = await answerEntries({
    stream,
    splitter: createSplitter(contentType, schemaText),
    read: readObject,
    keep: (batch) => keepBatch(batch, keep),
    batchItemsMax,
    keptBytesMax: 1,
  });
  return { contentType: 'application/x-ndjson', stream: answers };
}

function createSplitter(contentType = '', schemaText: string): Splitter {
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  if (type === 'text/csv') return createCsvSplitter(schemaText, entryBytesMax);
  if (type === 'application/json') return createElementSplitter(entryBytesMax);
  if (type === 'application/x-ndjson') return createLineSplitter(entryBytesMax);
  throw new Failure('UNSUPPORTED_MEDIA_TYPE', `A body of type "${contentType}" is not taken here.`);
}

async function keepBatch({ entries }: Batch<JsonText>, keep: Keep): Promise<EntryAnswer[]> {
  const data = entries.filter((entry) => entry instanceof JsonText);
  const kept = data.length > 0 ? (await keep(data)).values() : [].values();
  return entries.map((entry) => (entry instanceof Failure ? entry : answerOf(kept.next().value!)));
}

const answerOf = ({ id, validationErrors }: StoredEntry): EntryAnswer => ({
  status: 201,
  ...(id === undefined ? {} : { id }),
  ...(validationErrors ? { validationErrors } : {}),
});

async function readObject(raw: Buffer): Promise<JsonText> {
  // An entry of CSV grows when it becomes JSON.
  if (raw.length > entryBytesMax) throw tooLarge(entryBytesMax);
  const parsed = parsePart(raw, undefined);
  const value = parsed instanceof Promise ? await parsed : parsed;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw invalidAt('', 'must be an object');
  return new JsonText(raw.subarray(skipSpace(raw, 0), raw.lastIndexOf('}') + 1));
}
