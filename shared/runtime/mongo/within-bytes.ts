import type { FindCursor } from 'mongodb';

/** The memory that the documents of one page, or of one batch, may take together, in bytes. */
export const pageBytesMax = 20 * 1024 * 1024;

/**
 * The first documents of a cursor: as many as are wanted and fit into memory, but at least one.
 * `hasMore` says whether the cursor has others; it need not give more than one beyond `itemsMax`.
 */
export async function takeWithin<Document>(
  cursor: AsyncIterable<Document> & { inTurn?: InTurn },
  {
    itemsMax,
    bytesMax = pageBytesMax,
    bytesOf,
  }: { itemsMax: number; bytesMax?: number; bytesOf: (document: Document) => number },
): Promise<{ documents: Document[]; hasMore: boolean }> {
  const { inTurn = atOnce } = cursor;
  return inTurn(async () => {
    const documents: Document[] = [];
    let bytes = 0;
    for await (const document of cursor) {
      bytes += bytesOf(document);
      if (documents.length === itemsMax || (documents.length > 0 && bytes > bytesMax))
        return { documents, hasMore: true };
      documents.push(document);
    }
    return { documents, hasMore: false };
  });
}

/**
 * The documents that the database sends first, as they are (`raw`): as many as the cursor's size of a
 * batch and at most 16 MB; the rest is not asked for. One step for all, where a step for each
 * document costs more than the work with it.
 */
export async function takeRawBatch(
  cursor: FindCursor<Uint8Array> & { inTurn?: InTurn },
): Promise<Uint8Array[]> {
  const { inTurn = atOnce } = cursor;
  return inTurn(async () => {
    const first = await cursor.tryNext();
    const documents = first === null ? [] : [first, ...cursor.readBufferedDocuments()];
    await cursor.close();
    return documents;
  });
}

/**
 * Reads when the organization's turn has come, where the cursor is one of the database's bounded
 * ones.
 */
type InTurn = <Result>(read: () => Promise<Result>) => Promise<Result>;

const atOnce: InTurn = (read) => read();
