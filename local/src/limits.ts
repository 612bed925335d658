import { formatBytes } from '@assay/client/figures';
import { table } from '@assay/client/table';
import { grouped } from '@assay/contracts/fields';
import {
  type LimitChange,
  type LimitName,
  type OrganizationUsage,
  type OwnLimits,
  usageOfLimit,
} from '@assay/contracts/limits';

/** How the values of a limit are written and read. */
interface Measure {
  example: string;
  /** The words after "must be". */
  form: string;
  /** Undefined where the text is no such value. */
  read: (text: string) => number | undefined;
  show: (value: number) => string;
}

const units = ['KiB', 'MiB', 'GiB', 'TiB'];

const wholeNumber: Measure = {
  example: '5000000',
  form: 'a whole number',
  read: (text) => safe(/^\d+$/.test(text) ? Number(text) : undefined),
  show: grouped,
};

const bytes: Measure = {
  example: '10GiB',
  form: `a number of bytes, or one of ${units.join(', ')}`,
  read: (text) => {
    const [, digits, unit] = /^(\d+(?:\.\d+)?)([KMGT]iB)$/.exec(text) ?? [];
    if (digits === undefined) return wholeNumber.read(text);
    return safe(Math.round(Number(digits) * 1024 ** (units.indexOf(unit!) + 1)));
  },
  show: formatBytes,
};

const usDollars: Measure = {
  example: '25',
  form: 'a number of US dollars',
  read: (text) => (/^\d+(\.\d+)?$/.test(text) ? Number(text) : undefined),
  show: (value) => `${Number(value.toFixed(2))} USD`,
};

const safe = (value: number | undefined): number | undefined =>
  Number.isSafeInteger(value) ? value : undefined;

/** The limits as the operator names them. */
const limits: Record<string, { limit: LimitName; measure: Measure }> = {
  records: { limit: 'recordsMax', measure: wholeNumber },
  'attachment-bytes': { limit: 'attachmentsBytesMax', measure: bytes },
  'trace-bytes-per-day': { limit: 'traceBytesPerDayMax', measure: bytes },
  'requests-per-minute': {
    limit: 'requestsPerMinute',
    measure: {
      ...wholeNumber,
      example: '600',
      form: 'a whole number of at least 1',
      read: (text) => wholeNumber.read(text) || undefined,
    },
  },
  'judge-budget': { limit: 'judgeBudgetUsdPerDay', measure: usDollars },
};

/**
 * Reads limits such as `records=5000000`; `records=default` takes one back.
 * @throws Error with a sentence about the first word that is none.
 */
export function readLimits(words: string[]): LimitChange {
  return Object.fromEntries(
    words.map((word) => {
      const [, name = word, text] = /^([^=]*)=(.*)$/s.exec(word) ?? [];
      const known = Object.hasOwn(limits, name) ? limits[name] : undefined;
      if (!known)
        throw new Error(
          `There is no limit "${name}": the limits are ${Object.keys(limits).join(', ')}.`,
        );
      const { limit, measure } = known;
      const value = text === 'default' ? null : measure.read(text ?? '');
      if (value === undefined)
        throw new Error(
          `${name} must be ${measure.form}, such as ${name}=${measure.example}, or ${name}=default for that of the installation.`,
        );
      return [limit, value];
    }),
  );
}

/** Lines of a table: each limit, whose it is, and how much of it is used. */
export const limitTable = (own: OwnLimits, usage: OrganizationUsage): string[] =>
  table({
    columns: [
      { title: 'LIMIT', align: 'left' },
      { title: 'VALUE', align: 'right' },
      { title: 'SOURCE', align: 'left' },
      { title: 'USED', align: 'right' },
    ],
    rows: Object.entries(limits).map(([name, { limit: key, measure }]) => {
      const part: { limit: number | null; used?: number } = usage[usageOfLimit[key]];
      return [
        name,
        part.limit === null ? 'none' : measure.show(part.limit),
        own[key] === undefined ? 'of the installation' : 'of its own',
        part.used === undefined ? '–' : measure.show(part.used),
      ];
    }),
  });
