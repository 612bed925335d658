/** Characters of an error's name, and UTF-8 bytes of its message and of its stack, in a record. */
export const errorNameCharactersMax = 256;
export const errorMessageBytesMax = 16 * 1024;
export const errorStackBytesMax = 64 * 1024;

const encoder = new TextEncoder();
const decoder = new TextDecoder();
const mark = '…';
const markBytes = encoder.encode(mark).length;

/** A text of at most so many bytes of UTF-8; one that is cut ends in `…`. */
export function cutText(text: string, bytesMax: number): string {
  const whole = text.toWellFormed();
  // No character has more than three bytes for each of its units.
  if (whole.length * 3 <= bytesMax) return whole;
  const bytes = encoder.encode(whole);
  if (bytes.length <= bytesMax) return whole;
  // A character that is cut in two becomes a mark of its own, which is taken off.
  return `${decoder.decode(bytes.subarray(0, bytesMax - markBytes)).replace(/\uFFFD+$/, '')}${mark}`;
}

const charactersInSentenceMax = 120;

/** A name or message of an error as a part of a sentence: one line, cut where it is long. */
export function inSentence(text: string): string {
  const line = text.replaceAll(/\s+/g, ' ');
  if (line.length <= charactersInSentenceMax) return line;
  return `${line.slice(0, charactersInSentenceMax).toWellFormed()}${mark}`;
}

/** The texts of an error, as long as they were said. */
interface ErrorTexts {
  name?: string | null | undefined;
  message: string;
  stack?: string | null | undefined;
}

/** The texts of an error as a record may hold them: without an empty name, and those not said. */
export function cutError({ name, message, stack }: ErrorTexts) {
  return {
    ...(name ? { name: cutName(name.toWellFormed()) } : {}),
    message: cutText(message, errorMessageBytesMax),
    ...(stack != null ? { stack: cutText(stack, errorStackBytesMax) } : {}),
  };
}

const cutName = (name: string): string =>
  name.length <= errorNameCharactersMax
    ? name
    : `${name.slice(0, errorNameCharactersMax - mark.length).toWellFormed()}${mark}`;
