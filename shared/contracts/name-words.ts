/** In lower case, with each letter and its accents as one character. */
const comparable = (text: string): string => text.normalize('NFC').toLowerCase();

/** The words of a text by which names are searched. */
export const wordsOf = (text: string): string[] =>
  comparable(text)
    .split(/\s+/)
    .filter((word) => word !== '');

/** True of a name that has all of these words; a thing without a name has none. */
export function hasWords(name: string | null | undefined, words: string[]): boolean {
  const compared = comparable(name ?? '');
  return words.every((word) => compared.includes(word));
}
