/** As many names of a kind as one search looks at. */
const lookedAtMax = 10_000;

/**
 * Finds the first `limit` documents that have the wanted name. Names are compared here: the text of
 * a person is never a pattern of the database. `isCut` says that more may follow.
 */
export async function findNamed<Item>(
  documents: AsyncIterable<Item>,
  { isWanted, limit }: { isWanted: (document: Item) => boolean; limit: number },
): Promise<{ found: Item[]; isCut: boolean }> {
  const found: Item[] = [];
  let lookedAt = 0;
  for await (const document of documents) {
    lookedAt += 1;
    if (lookedAt > lookedAtMax) return { found, isCut: true };
    if (!isWanted(document)) continue;
    if (found.length === limit) return { found, isCut: true };
    found.push(document);
  }
  return { found, isCut: false };
}
