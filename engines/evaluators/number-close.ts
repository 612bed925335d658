import { areClose } from '@assay/json/arithmetic';
import { decimalOf, shortestNumber } from '@assay/json/numbers';
import { isNumber, type JsonNumber, numberText } from '@assay/json/value';
import { type Evaluation, type EvaluatorInput, failed, scored } from './evaluation.ts';
import { quote } from './quote.ts';

// A sign counts where no letter or digit stands before it ("A: -5", but not "COVID-19"). Thousands:
// 1,234,567, or 12,34,567.
const numberPattern =
  /(?:(?<![\p{L}\p{N}])([-+\u2212]))?\$?((?:\d{1,3}(?:,\d{3})+(?!\d)|\d{1,2}(?:,\d{2})+,\d{3}(?!\d)|\d+)(?:\.\d+)?|\.\d+)([eE][-+]?\d+)?/u;

/**
 * Whether the number in the output is within `absolute` or `relative` (of the expected number) of
 * the expected one, to the last digit; both default to 0. A JSON number is
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
  const close = areClose(decimalOf(got), decimalOf(wanted), {
    absolute: decimalOf((options.absolute ?? 0) as number | JsonNumber),
    relative: decimalOf((options.relative ?? 0) as number | JsonNumber),
  });
  return scored(close, `The output says ${quoteNumber(got)}, expected ${quoteNumber(wanted)}.`);
}

/** Characters of a number that a sentence shows whole. */
const shownMax = 24;

function quoteNumber(number: string): string {
  const shortest = shortestNumber(number);
  return shortest.length <= shownMax ? shortest : quote(number);
}

/** The text of the number that a value has. */
function readNumber({ value, after }: { value: unknown; after: string }): string | undefined {
  if (isNumber(value)) return numberText(value);
  if (typeof value !== 'string') return undefined;
  const place = value.lastIndexOf(after);
  if (place < 0) return undefined;
  const match = numberPattern.exec(after === '' ? value : value.slice(place + after.length));
  return match ? toNumber(match) : undefined;
}

function wholeNumber(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const match = numberPattern.exec(value.trim());
  return match && match[0] === value.trim().replace(/\.$/, '') ? toNumber(match) : undefined;
}

/** The number as JSON writes it, but for zeros at its beginning. */
function toNumber([, sign, digits, exponent = '']: RegExpExecArray): string {
  const [whole, fraction] = digits!.replaceAll(',', '').split('.');
  const minus = sign === '-' || sign === '\u2212' ? '-' : '';
  return `${minus}${whole || '0'}${fraction === undefined ? '' : `.${fraction}`}${exponent}`;
}
