import { type Evaluation, type EvaluatorInput, failed, scored } from './evaluation.ts';
import { quote } from './quote.ts';

/** A number as it was read: its exact decimal digits, and the double next to it. */
interface ReadNumber {
  decimal: string;
  value: number;
}

// A sign counts where no letter or digit stands before it ("A: -5", but not "COVID-19"). Thousands:
// 1,234,567, or 12,34,567.
const numberPattern =
  /(?:(?<![\p{L}\p{N}])([-+\u2212]))?\$?((?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,2}(?:,\d{2})+,\d{3}(?!\d)|\d+)(?:\.\d+)?|\.\d+)([eE][-+]?\d+)?/u;

/**
 * Whether the number in the output is within `absolute` or `relative` (of the expected number) of
 * the expected one; both default to 0, which compares the decimal digits exactly. A JSON number is
 * itself. In a text it is the first number after the last occurrence of `after` (without `after`:
 * of the text). An expected text without `after` counts where it is a number and nothing else. No
 * number in the output is false; none in the expected value fails.
 */
export function numberClose({ output, expected, options }: EvaluatorInput): Evaluation {
  const after = options.after === undefined ? '' : String(options.after);
  const wanted = readNumber({ value: expected, after }) ?? wholeNumber(expected);
  if (wanted === undefined)
    return failed(
      `The expected value has no number${after === '' ? '' : ` after ${quote(after)}`}.`,
    );
  const got = readNumber({ value: output, after });
  if (got === undefined)
    return scored(
      false,
      `The output has no number${after === '' ? '' : ` after ${quote(after)}`}.`,
    );
  const close = isClose({
    got,
    wanted,
    absolute: Number(options.absolute ?? 0),
    relative: Number(options.relative ?? 0),
  });
  return scored(close, `The output says ${quoteNumber(got)}, expected ${quoteNumber(wanted)}.`);
}

const quoteNumber = ({ value, decimal }: ReadNumber): string =>
  Number.isFinite(value) && String(value).length < 20 ? String(value) : quote(decimal);

function readNumber({ value, after }: { value: unknown; after: string }): ReadNumber | undefined {
  if (typeof value === 'number') return toNumber(numberPattern.exec(String(value))!);
  if (typeof value !== 'string') return undefined;
  const place = value.lastIndexOf(after);
  if (place < 0) return undefined;
  const match = numberPattern.exec(after === '' ? value : value.slice(place + after.length));
  return match ? toNumber(match) : undefined;
}

function wholeNumber(value: unknown): ReadNumber | undefined {
  if (typeof value !== 'string') return undefined;
  const match = numberPattern.exec(value.trim());
  return match && match[0] === value.trim().replace(/\.$/, '') ? toNumber(match) : undefined;
}

function toNumber([, sign, digits, exponent]: RegExpExecArray): ReadNumber {
  const [whole = '', fraction = ''] = digits!.replaceAll(',', '').split('.');
  const all = `${whole}${fraction}`.replace(/^0+/, '');
  const significant = all.replace(/0+$/, '');
  const minus = sign === '-' || sign === '\u2212' ? '-' : '';
  const power =
    BigInt(exponent?.slice(1).slice(0, 20) ?? 0) -
    BigInt(fraction.length) +
    BigInt(all.length - significant.length);
  const decimal = significant === '' ? '0' : `${minus}${significant}e${power}`;
  return { decimal, value: Number(`${minus}${whole || '0'}.${fraction || '0'}${exponent ?? ''}`) };
}

function isClose({
  got,
  wanted,
  absolute,
  relative,
}: {
  got: ReadNumber;
  wanted: ReadNumber;
  absolute: number;
  relative: number;
}): boolean {
  if (got.decimal === wanted.decimal) return true;
  const tolerance = Math.max(absolute, relative * Math.abs(wanted.value));
  if (tolerance === 0) return false;
  // 1.1 is within 0.1 of 1, though the nearest doubles are not: the subtraction may be wrong in its
  // last bits.
  const slack = 4 * Number.EPSILON * Math.max(Math.abs(got.value), Math.abs(wanted.value));
  return Math.abs(got.value - wanted.value) <= tolerance + slack && Number.isFinite(got.value);
}
