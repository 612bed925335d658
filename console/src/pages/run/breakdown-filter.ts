import { parseByValue } from '@assay/json/parse';
import type { FilterKind } from '../../parts/filter/language.ts';

/** A row of a breakdown, as the URL has it. */
export interface RowState {
  breakdownBy?: string | undefined;
  breakdownValue?: string | undefined;
}

/** Of the records that have no value in the field, as the API writes it. */
export const noValue = 'none';

/** The records of one row of a breakdown, such as `field:/inputs/topic=refund`. */
export const breakdownKind: FilterKind<RowState> = {
  key: 'field',
  name: 'Field',
  values: [],
  example: '/inputs/topic=refund',
  valuesIn: ({ breakdownBy, breakdownValue }) =>
    breakdownBy === undefined && breakdownValue === undefined
      ? []
      : [`${breakdownBy ?? ''}=${breakdownValue ?? ''}`],
  add: (_state, written) =>
    rowIn(written) ?? 'Write a field of the inputs or the metadata: field:/inputs/topic=refund.',
  remove: () => ({ breakdownBy: undefined, breakdownValue: undefined }),
};

/** A name may have `=` in it: the value is the first rest that is one, or else the first rest. */
function rowIn(written: string): RowState | undefined {
  const rows = [...written.matchAll(/=/g)].map(({ index }) => ({
    breakdownBy: written.slice(0, index),
    breakdownValue: written.slice(index + 1),
  }));
  const fields = rows.filter(
    ({ breakdownBy, breakdownValue }) => field.test(breakdownBy) && breakdownValue !== '',
  );
  const whole = fields.find(({ breakdownValue }) => isValue(breakdownValue));
  if (whole) return whole;
  const [first] = fields;
  return first && { ...first, breakdownValue: JSON.stringify(first.breakdownValue) };
}

/** As the contract has it. */
const field = /^(?:tags|\/(?:inputs|metadata)(?:\/(?:[^~/]|~[01])*)+)$/;

const isValue = (text: string): boolean =>
  text === noValue || /^sha256:[0-9a-f]{64}$/.test(text) || isJson(text);

function isJson(text: string): boolean {
  try {
    parseByValue(text);
    return true;
  } catch {
    return false;
  }
}
