import type { FilterKind } from '../../parts/filter/language.ts';
import type { RecordState } from './record-language.ts';

/** Of the records that have no value in the field, as the API writes it. */
export const noValue = 'none';

/** The records of one row of a breakdown, such as `field:/inputs/topic=refund`. */
export const breakdownKind: FilterKind<RecordState> = {
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
function rowIn(
  written: string,
): Required<Pick<RecordState, 'breakdownBy' | 'breakdownValue'>> | undefined {
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
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
