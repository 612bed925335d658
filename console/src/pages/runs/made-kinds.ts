import { endOf, instantOf } from '@assay/client/written-instant';
import type { FilterKind } from '../../parts/filter/language.ts';
import { formatInstant } from '../../text/format.ts';

/** Made from an instant on, and before another. */
export interface MadeState {
  from?: string | undefined;
  to?: string | undefined;
}

/** The times that people look back on, and how they are called. */
export const lately = [
  { value: '24h', name: 'last 24 hours' },
  { value: '7d', name: 'last 7 days' },
  { value: '30d', name: 'last 30 days' },
];

const howToWrite =
  'write 2026-11-20, made>=2026-11-20, made<=2026-11-20T09:30, or made:7d for the last seven days.';

/** When runs were made: `made:7d`, `made:2026-11-20`, `made>=2026-11-20`, `made<=2026-11-20`. */
export const madeKinds = (state: MadeState): FilterKind<MadeState>[] => [
  {
    key: 'made',
    name: 'Made',
    values: lately,
    example: '2026-11-20',
    isWritten: true,
    valuesIn: () => [],
    add: (_state, written) => madeChange(written),
    remove: () => ({ from: undefined, to: undefined }),
  },
  boundKind('from', { sign: '>=', name: 'Made since', state }),
  boundKind('to', { sign: '<=', name: 'Made before', state }),
];

function boundKind(
  parameter: 'from' | 'to',
  { state, ...kind }: { sign: '>=' | '<='; name: string; state: MadeState },
): FilterKind<MadeState> {
  const value = state[parameter];
  return {
    ...kind,
    key: 'made',
    values: value === undefined ? [] : [{ value, name: instantText(value) }],
    example: '2026-11-20',
    isWritten: true,
    valuesIn: (now) => (now[parameter] === undefined ? [] : [now[parameter]]),
    add: (_state, written) =>
      isAge(written)
        ? `“${written}” is no date: write 2026-11-20, or made:${written} for the time since then.`
        : madeChange(`${kind.sign}${written}`),
    remove: () => ({ [parameter]: undefined }),
  };
}

/**
 * The times of `7d`, of one day, or of all that is before or after a written time. `<7d` is younger
 * than seven days.
 */
function madeChange(written: string): Partial<MadeState> | string {
  const [, sign = '', time = ''] = /^([<>]=?)?\s*([\s\S]*)$/.exec(written)!;
  const start = instantOf(time);
  const end = endOf(time);
  if (start === undefined || end === undefined) return `“${time}” is no time: ${howToWrite}`;
  if (sign === '') return start === end ? { from: start, to: undefined } : { from: start, to: end };
  if (isAge(time)) return sign.startsWith('<') ? { from: start } : { to: start };
  // Of a whole day, `>` begins after it, and `<=` ends with it.
  const bound = sign === '>' || sign === '<=' ? end : start;
  return sign.startsWith('>') ? { from: bound } : { to: bound };
}

const isAge = (written: string): boolean => /^\d+(?:min|h|d)$/.test(written.trim());

/** A link may have any text for a time. */
const instantText = (instant: string): string =>
  Number.isNaN(Date.parse(instant)) ? instant : formatInstant(instant);
