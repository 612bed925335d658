import type { StreamReply } from '@assay/contracts/define';
import { Failure } from '@assay/contracts/failure';
import { answerEntries, type Batch, type EntryAnswer } from '@assay/runtime/uploads/pipeline';
import {
  createElementSplitter,
  createLineSplitter,
  type Splitter,
} from '@assay/runtime/uploads/splitters';
import { createCsvSplitter } from './csv.ts';
import type { Definition } from './definitions.ts';
import { entryBytesMax, type ImportEntry, readEntry } from './entry.ts';

export interface ImportedBody {
  /** Undefined where the request has no body at all. */
  stream: AsyncIterable<Uint8Array> | undefined;
  contentType: string | undefined;
}

/** How the entries of an import are stored, or checked only, and what its last line says. */
export interface EntryKeeper {
  /** Commits the entries that can be stored, all or none, and answers each. */
  keep: (batch: Batch<ImportEntry>) => Promise<EntryAnswer[]>;
  /** A row of a table that says nothing is passed over. */
  skip: () => void;
  finish: (() => Promise<object>) | undefined;
}

/** Testcases committed at once. */
const batchItemsMax = 500;

/**
 * Imports a body of any size: entries are committed as they come in, one batch after the other, and
 * each is answered after its commit.
 */
export async function importTestcases({
  body: { stream, contentType },
  definition,
  keeper: { keep, skip, finish },
  isSummaryOnly,
}: {
  body: ImportedBody;
  definition: Definition;
  keeper: EntryKeeper;
  isSummaryOnly: boolean;
}): Promise<StreamReply> {
  const answers = await answerEntries({
    stream: stream && inUtf8(stream, contentType),
    splitter: createSplitter(contentType, { definition, skip }),
    read: readEntry,
    keep,
    finish,
    isWithoutLines: isSummaryOnly,
    batchItemsMax,
    keptBytesMax: 1,
  });
  return { contentType: 'application/x-ndjson', stream: answers };
}

function createSplitter(
  contentType = '',
  { definition, skip }: { definition: Definition; skip: () => void },
): Splitter {
  const type = contentType.split(';')[0]!.trim().toLowerCase();
  if (type === 'text/csv') return createCsvSplitter(definition, { bytesMax: entryBytesMax, skip });
  if (type === 'application/json') return createElementSplitter(entryBytesMax);
  if (type === 'application/x-ndjson') return createLineSplitter(entryBytesMax);
  throw new Failure('UNSUPPORTED_MEDIA_TYPE', `A body of type "${contentType}" is not taken here.`);
}

const encodings: Record<string, string> = {
  'windows-1252': 'windows-1252',
  cp1252: 'windows-1252',
};

/** The body in UTF-8, where its content type says that it is in the encoding of Windows. */
function inUtf8(stream: AsyncIterable<Uint8Array>, contentType = ''): AsyncIterable<Uint8Array> {
  const charset = /;\s*charset="?([^\s";]+)/i.exec(contentType)?.[1]?.toLowerCase() ?? 'utf-8';
  if (charset === 'utf-8' || charset === 'utf8') return stream;
  const encoding = encodings[charset];
  if (encoding === undefined)
    throw new Failure(
      'UNSUPPORTED_MEDIA_TYPE',
      `A body in "${charset}" is not taken here: send UTF-8, or windows-1252.`,
    );
  return decoded(stream, encoding);
}

async function* decoded(
  stream: AsyncIterable<Uint8Array>,
  encoding: string,
): AsyncGenerator<Uint8Array> {
  const decoder = new TextDecoder(encoding);
  for await (const chunk of stream) yield Buffer.from(decoder.decode(chunk, { stream: true }));
}
