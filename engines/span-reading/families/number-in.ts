import { isObject } from '@assay/json/value';
import { valueAt } from '../attributes.ts';
import type { Reader } from '../family.ts';

/** A number by any of these names in an attribute that is an object of JSON. */
export const numberIn =
  (attribute: string, ...names: string[]): Reader<number> =>
  ({ attributes }) => {
    const members = valueAt(attributes, [attribute])?.value;
    if (!isObject(members)) return undefined;
    for (const name of names) {
      const value = members[name];
      if (typeof value === 'number' && Number.isFinite(value) && value >= 0)
        return { value, from: attribute };
    }
    return undefined;
  };
