import type { MetricVersion } from '@assay/contracts/metrics';
import type { JsonText } from '@assay/contracts/payload';
import { type RoundedNote, roundedFor } from '@assay/contracts/record-notes';
import { parseByValue } from '@assay/json/parse';
import type { JsonNumber } from '@assay/json/value';
import type { Outcome } from '@assay/runtime/concurrency/workers';

type Part = 'inputs' | 'expected' | 'outputs';
type Language = NonNullable<MetricVersion['code']>['language'];

/** The parts of a record that code is given, as JSON in UTF-8. */
export type RoundingTask = Record<Part, Uint8Array> & { language: Language };

/** Larger parts are read on another thread alone. */
const lookedThroughMax = 64 * 1024;

/** How long a thread may look for the numbers of one record. */
export const roundingDeadlineMs = 5000;

/**
 * Finds the numbers of a record that code in this language cannot hold, as a note for each. On
 * another thread, unless the record is small and has none.
 */
export const createRounding =
  ({ inWorker }: { inWorker: (task: RoundingTask) => Promise<Outcome<RoundedNote[]>> }) =>
  async (
    language: Language,
    { inputs, expected, outputs }: Record<Part, JsonText>,
  ): Promise<RoundedNote[]> => {
    if (![inputs, expected, outputs].some(mayHoldMore)) return [];
    const outcome = await inWorker({
      language,
      inputs: new Uint8Array(inputs.bytes),
      expected: new Uint8Array(expected.bytes),
      outputs: new Uint8Array(outputs.bytes),
    });
    return 'result' in outcome ? outcome.result : [];
  };

export type FindRounded = ReturnType<typeof createRounding>;

/** Characters of a number that may be more than a double holds: 16 of them, or an exponent. */
const suspicious = /[0-9.]{16}|[0-9][eE]/;

const mayHoldMore = (part: JsonText): boolean =>
  part.source.length > lookedThroughMax || suspicious.test(part.toString());

/** The notes themselves, on the other thread. */
export function notesOfRounded({ language, ...parts }: RoundingTask): RoundedNote[] {
  const record = Object.fromEntries(
    Object.entries(parts).map(([part, bytes]) => [part, parseByValue(decoder.decode(bytes))]),
  );
  const holder = language === 'python' ? 'float of Python' : 'number of JavaScript';
  // Python holds whole numbers of any length.
  const isHeld = ({ isInDigits }: JsonNumber) => language === 'python' && isInDigits;
  return roundedFor(record, { holder, reader: 'code of a metric', isHeld }).notes;
}

const decoder = new TextDecoder();
