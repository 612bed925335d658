import type { ParquetParsers, SchemaElement, SchemaTree } from 'hyparquet';

/** A time of a column. Its zone stands in the schema, and not at the value. */
export class ColumnTime {
  readonly #text: string;

  /** @param text without a zone. */
  constructor(text: string) {
    this.#text = text;
  }

  /** As Python writes it, so that a row has the same key in each language. */
  textIn(isLocal: boolean): string {
    return isLocal ? this.#text : `${this.#text}+00:00`;
  }
}

/** Times become texts with all their digits, dates texts without a time. */
export const timeParsers: Pick<
  ParquetParsers,
  | 'timestampFromMilliseconds'
  | 'timestampFromMicroseconds'
  | 'timestampFromNanoseconds'
  | 'dateFromDays'
> = {
  timestampFromMilliseconds: (count) => timeOf(count, 1_000_000n),
  timestampFromMicroseconds: (count) => timeOf(count, 1_000n),
  timestampFromNanoseconds: (count) => timeOf(count, 1n),
  dateFromDays: (days) => isoText(BigInt(days) * 86_400n)?.split('T')[0] ?? null,
};

const second = 1_000_000_000n;

/** Undefined stays: it is a value that the row does not have. */
function timeOf(count: bigint | undefined | null, nanoseconds: bigint): unknown {
  if (count === undefined || count === null) return count;
  const all = BigInt(count) * nanoseconds;
  // Before 1970 the rest counts from the second before.
  const rest = ((all % second) + second) % second;
  const text = isoText((all - rest) / second);
  return text === undefined ? null : new ColumnTime(`${text}${fractionOf(rest)}`);
}

/** Without a zone and parts of a second; undefined for a year that no date has. */
function isoText(seconds: bigint): string | undefined {
  const date = new Date(Number(seconds) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString().slice(0, -'.000Z'.length);
}

/** None, six or nine digits, as Python and pandas have them. */
function fractionOf(nanoseconds: bigint): string {
  if (nanoseconds === 0n) return '';
  const digits = String(nanoseconds).padStart(9, '0');
  return `.${digits.endsWith('000') ? digits.slice(0, 6) : digits}`;
}

/** The times in a column. */
export interface TimesOfColumn {
  /** They are those of no zone: the schema says so, or has the old form INT96. */
  isLocal: boolean;
  /** Nanoseconds of a unit, where each value is a time of day. */
  clockUnit: bigint | undefined;
}

/** The times in each column of a file, by the column's name. */
export const timesOfColumns = ({ children }: SchemaTree): Map<string, TimesOfColumn> =>
  new Map(
    children.map((column) => {
      const leaves = leavesOf(column);
      const units = new Set(leaves.map(clockUnitOf));
      return [
        column.element.name,
        { isLocal: leaves.some(isLocal), clockUnit: units.size === 1 ? [...units][0] : undefined },
      ];
    }),
  );

const leavesOf = ({ element, children }: SchemaTree): SchemaElement[] =>
  children.length === 0 ? [element] : children.flatMap(leavesOf);

const isLocal = ({ type, logical_type: logical }: SchemaElement): boolean =>
  type === 'INT96' || (logical?.type === 'TIMESTAMP' && !logical.isAdjustedToUTC);

function clockUnitOf({
  logical_type: logical,
  converted_type: converted,
}: SchemaElement): bigint | undefined {
  if (logical?.type === 'TIME')
    return { MILLIS: 1_000_000n, MICROS: 1_000n, NANOS: 1n }[logical.unit];
  return { TIME_MILLIS: 1_000_000n, TIME_MICROS: 1_000n }[converted as 'TIME_MILLIS'];
}

/** A time of day, as Python writes it. */
export function clockText(count: number | bigint, unit: bigint): string {
  const all = BigInt(count) * unit;
  const text = isoText(all / second)?.split('T')[1] ?? '';
  return `${text}${fractionOf(all % second)}`;
}
