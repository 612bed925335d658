/** Where in a source something stands. Lines and columns are counted from 1, bytes from 0. */
export interface Place {
  /** The path of the file in its folder, or of the member in its archive. */
  file?: string;
  line?: number;
  column?: number;
  byte?: number;
  /** A JSON Pointer into the file. */
  at?: string;
}

/**
 * A source that cannot be read. The message is whole: the place, the fault, and the remedy. Nothing
 * of the source has been handed out when it is thrown by the first pass over it.
 */
export class ImportFailure extends Error {
  readonly place: Place;
  /** The message without the place. */
  readonly sentence: string;

  constructor(place: Place, sentence: string, cause?: unknown) {
    super(`${describePlace(place)}${sentence}`, { cause });
    this.name = 'ImportFailure';
    this.place = place;
    this.sentence = sentence;
  }
}

/** The place as people read it, with the colon that leads to the sentence. */
function describePlace({ file, line, column, byte, at }: Place): string {
  const parts = [
    file,
    line === undefined ? undefined : `line ${line}`,
    column === undefined ? undefined : `column ${column}`,
    byte === undefined ? undefined : `byte ${byte}`,
    at === undefined || at === '' ? undefined : `at ${at}`,
  ].filter((part) => part !== undefined);
  return parts.length > 0 ? `${parts.join(', ')}: ` : '';
}
