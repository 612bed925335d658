import { withDoubles } from '@assay/json/doubles';
import { pointerTo } from '@assay/json/pointer';
import type { JsonNumber } from '@assay/json/value';

/** Notes that one record may have, and characters of the place that a note is about. */
export const recordNotesMax = 20;
export const notedPathCharactersMax = 1_000;

/** A place in a record as its notes name it. */
export const notedPath = (path: readonly string[]): string =>
  pointerTo(path).slice(0, notedPathCharactersMax).toWellFormed();

/** A note on a number that code was given otherwise than the record has it. */
export interface RoundedNote {
  code: 'holds_doubles';
  path: string;
  message: string;
}

interface Reader {
  /** Whose numbers they are: `number of JavaScript`. */
  holder: string;
  /** Who reads the value: `the system`. */
  reader: string;
  /** Whether its language holds a number that no double says. */
  isHeld?: (number: JsonNumber) => boolean;
}

const digitsShownMax = 100;

/**
 * A value for code that holds doubles, which are the nearest where a number has more digits, and a
 * note for each that this rounds (contract section 5, Numbers).
 */
export function roundedFor<Value>(
  value: Value,
  { holder, reader, isHeld = () => false }: Reader,
): { plain: Value; notes: RoundedNote[] } {
  const notes: RoundedNote[] = [];
  const plain = withDoubles(value, ({ path, number }) => {
    if (isHeld(number) || notes.length === recordNotesMax) return;
    const { text } = number;
    const sent = text.length > digitsShownMax ? `${text.slice(0, digitsShownMax)}…` : text;
    notes.push({
      code: 'holds_doubles',
      path: notedPath(path),
      message: `No ${holder} holds ${sent}: ${reader} was given ${Number(text)}.`,
    });
  });
  return { plain: plain as Value, notes };
}
