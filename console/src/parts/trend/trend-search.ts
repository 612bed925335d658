import { choice, type SearchOf, text } from '../search.ts';

/** The state of trends in the URL of a page that shows them. */
export const trendSearch = {
  testset: text,
  label: text,
  /** The last so many days; all of them with `all`. */
  days: choice('7', '30', '90', 'all'),
  /** A span of time that was dragged on a chart, as instants. */
  from: text,
  to: text,
};

export type TrendSearch = SearchOf<typeof trendSearch>;
export type SetTrendSearch = (changes: TrendSearch) => void;

export const daysDefault = '90';
const dayMs = 86_400_000;

/**
 * The time that is asked for, in milliseconds. The last days begin with a whole day, so that a page
 * asks for the same time all day long.
 */
export function timeOf(
  { days = daysDefault, from, to }: TrendSearch,
  now = Date.now(),
): { from?: number | undefined; to?: number | undefined } {
  const [first, last] = [from, to].map((instant) => Date.parse(instant ?? ''));
  if (first! < last!) return { from: first, to: last };
  if (days === 'all') return {};
  return { from: Math.floor(now / dayMs) * dayMs - Number(days) * dayMs };
}
