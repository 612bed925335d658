/** Items whose texts share a word; the rest have none. */
export interface ReasonGroup<Item> {
  word: string | undefined;
  items: Item[];
}

const groupsMax = 6;
/** A word that more of the texts have says nothing about the difference between them. */
const shareMax = 0.8;

/** Words that stand in most reasonings, whatever they say. */
const commonWords = new Set(
  'about after against also answer been because before being both correct could does doesn expected from given have here incorrect into more most only other output outputs question record response same should than that their them then there therefore these they this those under very were what when where which while will with would your'.split(
    ' ',
  ),
);

/**
 * Groups texts by the words that most of them share: the word of the most texts first, then that of
 * the most texts that are left. A word of one text makes no group.
 */
export function groupByWords<Item>(texts: { item: Item; text: string }[]): ReasonGroup<Item>[] {
  let rest = texts.map(({ item, text }) => ({ item, words: wordsOf(text) }));
  const groups: ReasonGroup<Item>[] = [];
  while (groups.length < groupsMax && rest.length > 1) {
    const word = commonestIn(
      rest.map(({ words }) => words),
      texts.length,
    );
    if (word === undefined) break;
    groups.push({
      word,
      items: rest.filter(({ words }) => words.has(word)).map(({ item }) => item),
    });
    rest = rest.filter(({ words }) => !words.has(word));
  }
  if (rest.length > 0) groups.push({ word: undefined, items: rest.map(({ item }) => item) });
  return groups;
}

const wordsOf = (text: string): Set<string> =>
  new Set(
    (text.toLowerCase().match(/\p{L}{4,30}/gu) ?? []).filter((word) => !commonWords.has(word)),
  );

function commonestIn(texts: Set<string>[], total: number): string | undefined {
  const counts = new Map<string, number>();
  for (const words of texts)
    for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  let best: string | undefined;
  for (const [word, count] of counts)
    if (
      count > 1 &&
      count <= Math.max(2, total * shareMax) &&
      count > (counts.get(best ?? '') ?? 0)
    )
      best = word;
  return best;
}
