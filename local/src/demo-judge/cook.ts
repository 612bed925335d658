import type { Question } from './stand-in-model.ts';

/** The parts of a line of a recipe, as the demo's readers and its testset have them. */
interface Reading {
  quantity: number | null;
  unit: string | null;
  item: string;
}

/** What a cook can work with: the guidelines of the metric, which a person may change. */
export const cookGuidelines =
  'A cook can work with the reading. The amount may be off by up to 10 percent. The unit must be right.';

export const cookPrompt = `Line: {{ inputs.line }}
Expected: {{ expected | tojson }}
Reading: {{ outputs | tojson }}`;

/** The parts of the guidelines that the stand-in understands. */
interface Strictness {
  amountPercent: number;
  isUnitChecked: boolean;
  isNameChecked: boolean;
}

/**
 * Judges a reading in place of a language model. Of the guidelines it understands a percentage, "the
 * unit must" and "the name must"; of prompts those that show `Expected:` and `Reading:` as JSON.
 * Returns a sentence for any other prompt.
 */
export function judgeAsCook({ instructions, prompt }: Question) {
  const [expected, reading] = [readingAfter('Expected:', prompt), readingAfter('Reading:', prompt)];
  if (!expected || !reading)
    return 'The stand-in of the demo judges prompts that show "Expected:" and "Reading:" as JSON, a line each. A language model reads any prompt.';
  const ours = prompt.replaceAll(/<(data-[^>]*)>[\s\S]*?<\/\1>/g, '');
  const reasons = faultsOf({ expected, reading }, strictnessOf(`${instructions}\n${ours}`));
  return {
    reasoning: reasons.length === 0 ? 'A cook can work with it.' : reasons.join(' '),
    binaryScore: reasons.length === 0,
  };
}

function strictnessOf(text: string): Strictness {
  const percent = /(\d+(?:\.\d+)?)\s*(?:%|percent)/i.exec(text);
  return {
    amountPercent: percent ? Number(percent[1]) : 0,
    isUnitChecked: /\bunit must\b/i.test(text),
    isNameChecked: /\bname must\b/i.test(text),
  };
}

/** What stands between the marks around a record's data, on the line after this word. */
function readingAfter(word: string, prompt: string): Reading | undefined {
  const line = prompt.split('\n').find((each) => each.startsWith(word));
  if (line === undefined) return undefined;
  try {
    return JSON.parse(line.slice(word.length).replaceAll(/<\/?data-[^>]*>/g, '')) as Reading;
  } catch {
    return undefined;
  }
}

function faultsOf(
  { expected, reading }: { expected: Reading; reading: Reading },
  { amountPercent, isUnitChecked, isNameChecked }: Strictness,
): string[] {
  const faults: string[] = [];
  const off = percentOff(expected.quantity, reading.quantity);
  if (off > amountPercent)
    faults.push(
      Number.isFinite(off)
        ? `The amount is ${reading.quantity} in place of ${expected.quantity}: ${Math.round(off)} percent off, where ${amountPercent} are allowed.`
        : `The amount is ${reading.quantity ?? 'missing'} in place of ${expected.quantity ?? 'none'}.`,
    );
  if (isUnitChecked && reading.unit !== expected.unit)
    faults.push(`The unit is ${reading.unit ?? 'missing'} in place of ${expected.unit ?? 'none'}.`);
  if (isNameChecked && reading.item !== expected.item)
    faults.push(`The name is "${reading.item}" in place of "${expected.item}".`);
  return faults;
}

function percentOff(expected: number | null, read: number | null): number {
  if (expected === read) return 0;
  if (expected === null || read === null) return Number.POSITIVE_INFINITY;
  return (100 * Math.abs(read - expected)) / expected;
}
