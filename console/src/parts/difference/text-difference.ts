import { diffLines, diffWordsWithSpace } from 'diff';

/** A piece of text that both sides have, or only one. */
export interface Piece {
  text: string;
  side: 'both' | 'before' | 'after';
}

/** A comparison that takes longer than this is given up, in ms. */
const patienceMs = 1000;
/** Texts up to this many characters are compared by words, longer ones by lines. */
const wordsMax = 5000;

/**
 * The pieces of two texts, in order: by words where they are short, else by lines. Where the texts
 * differ so much that the comparison would take too long, the whole of each.
 */
export function textDifference(
  before: string,
  after: string,
  by: 'words' | 'lines' = before.length + after.length <= wordsMax ? 'words' : 'lines',
): Piece[] {
  const options = { timeout: patienceMs };
  const changes =
    by === 'words' ? diffWordsWithSpace(before, after, options) : diffLines(before, after, options);
  if (!changes)
    return [
      { text: before, side: 'before' },
      { text: after, side: 'after' },
    ];
  return changes.map(({ value, added, removed }) => ({
    text: value,
    side: added ? 'after' : removed ? 'before' : 'both',
  }));
}
