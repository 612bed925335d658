import { percent } from '@assay/client/figures';

/** How numbers, times and sizes are written, in the reader's own locale and time zone. */

const whole = new Intl.NumberFormat(undefined, { maximumFractionDigits: 0 });
const exactHundredths = new Intl.NumberFormat(undefined, { maximumFractionDigits: 4 });
const mean = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 2,
  maximumFractionDigits: 2,
});
const relative = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const exact = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
export const formatCount = (count: number): string => whole.format(count);

/** A share between 0 and 1, as a percentage: written as comparisons and the command line write it. */
export const formatShare = percent;

/** A share that a person has set, with the digits that it has: 0.05 is 5 %. */
export const formatSetShare = (share: number): string => `${exactHundredths.format(100 * share)} %`;

export const formatMean = (value: number): string => mean.format(value);

/** Dollars; what costs less than a cent with two digits that count. */
export const formatDollars = (dollars: number): string =>
  new Intl.NumberFormat(undefined, {
    style: 'currency',
    currency: 'USD',
    ...(dollars > 0 && dollars < 0.01
      ? { maximumSignificantDigits: 2 }
      : { minimumFractionDigits: 2, maximumFractionDigits: 2 }),
  }).format(dollars);

const decimal = new Intl.NumberFormat(undefined, {
  minimumFractionDigits: 1,
  maximumFractionDigits: 1,
});

/** How long something took, given in milliseconds: "0.4 ms", "840 ms", "1.2 s", "2 min 5 s". */
export function formatDuration(ms: number): string {
  if (ms > 0 && ms < 9.95) return `${decimal.format(ms)} ms`;
  if (ms < 999.5) return `${whole.format(ms)} ms`;
  if (ms < 59_950) return `${decimal.format(ms / 1000)} s`;
  const seconds = Math.round(ms / 1000);
  return `${whole.format(Math.floor(seconds / 60))} min ${seconds % 60} s`;
}

const units: [Intl.RelativeTimeFormatUnit, number][] = [
  ['year', 365 * 86_400],
  ['month', 30 * 86_400],
  ['week', 7 * 86_400],
  ['day', 86_400],
  ['hour', 3600],
  ['minute', 60],
];

/** "2 hours ago", as of `now`. */
export function formatAge(instant: string, now = Date.now()): string {
  const seconds = (Date.parse(instant) - now) / 1000;
  const [unit, length] = units.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return relative.format(Math.round(seconds / length), unit);
}

export const formatInstant = (instant: string): string => exact.format(new Date(instant));

export { formatBytes } from '@assay/client/figures';

/** "1 record", "12 records". */
export const countOf = (count: number, noun: string, plural = `${noun}s`): string =>
  `${formatCount(count)} ${count === 1 ? noun : plural}`;

/** All but line feeds, tabs and the joiner of emoji. */
const hidden = /(?![\n\t\u200d])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/**
 * Shows characters that have no form of their own or that turn text around as marks such as
 * `⟨U+202E⟩`, so that a record cannot pretend to say something else. Line feeds and tabs stay.
 */
export const visible = (text: string): string =>
  text.replace(
    hidden,
    (character) => `⟨U+${character.codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')}⟩`,
  );
