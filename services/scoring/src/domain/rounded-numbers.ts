import type { MetricVersion } from '@assay/contracts/metrics';
import { type RecordNote, recordNotesMax } from '@assay/contracts/run-records';
import { withDoubles } from '@assay/json/doubles';
import { parseByValue } from '@assay/json/parse';
import { pointerTo } from '@assay/json/pointer';
import type { JsonNumber } from '@assay/json/value';
import type { Outcome } from '@assay/runtime/concurrency/workers';

/** The parts of a record that code is given, as JSON in UTF-8. */
export interface CodeParts {
  inputs: Uint8Array;
  expected: Uint8Array;
  outputs: Uint8Array;
}

type Language = NonNullable<MetricVersion['code']>['language'];

export interface RoundingTask extends CodeParts {
  language: Language;
}

/** Larger parts are read on another thread alone. */
const lookedThroughMax = 64 * 1024;
const pathCharactersMax = 1000;
const digitsShownMax = 100;

/** How long a thread may look for the numbers of one record. */
export const roundingDeadlineMs = 5000;

/**
 * Finds the numbers of a record that code in this language cannot hold, as a note for each. On
 * another thread, unless the record is small and has none.
 */
export const createRounding =
  ({ inWorker }: { inWorker: (task: RoundingTask) => Promise<Outcome<RecordNote[]>> }) =>
  async (language: Language, parts: CodeParts): Promise<RecordNote[]> => {
    if (!Object.values(parts).some(mayHoldMore)) return [];
    const copies = Object.fromEntries(
      Object.entries(parts).map(([part, bytes]) => [part, new Uint8Array(bytes)]),
    ) as unknown as CodeParts;
    const outcome = await inWorker({ language, ...copies });
    return 'result' in outcome ? outcome.result : [];
  };

export type FindRounded = ReturnType<typeof createRounding>;

/** Bytes of a number that may be more than a double holds: 16 characters, or an exponent. */
const suspicious = /[0-9.]{16}|[0-9][eE]/;

const mayHoldMore = (bytes: Uint8Array): boolean =>
  bytes.byteLength > lookedThroughMax || suspicious.test(Buffer.from(bytes).toString('latin1'));

/** The notes themselves, on the other thread. */
export function notesOfRounded({ language, ...parts }: RoundingTask): RecordNote[] {
  const notes: RecordNote[] = [];
  for (const [part, bytes] of Object.entries(parts))
    withDoubles(parseByValue(Buffer.from(bytes).toString()), ({ path, number }) => {
      if (isHeld(language, number) || notes.length === recordNotesMax) return;
      notes.push({
        code: 'holds_doubles',
        path: pointerTo([part, ...path])
          .slice(0, pathCharactersMax)
          .toWellFormed(),
        message: messageOf(language, number),
      });
    });
  return notes;
}

const isHeld = (language: Language, { text }: JsonNumber): boolean =>
  language === 'python' && /^-?\d+$/.test(text);

function messageOf(language: Language, { text }: JsonNumber): string {
  const sent = text.length > digitsShownMax ? `${text.slice(0, digitsShownMax)}…` : text;
  const holder = language === 'python' ? 'float of Python' : 'number of JavaScript';
  return `No ${holder} holds ${sent}: code of a metric was given ${Number(text)}.`;
}
