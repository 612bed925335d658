import type { ReplyOf } from '@assay/client/operations';
import { escapeSegment } from '@assay/json/pointer';
import { isComposite, isObject } from '@assay/json/value';
import type { MembersAt } from '../../parts/editor/editor-types.ts';

export type Testset = ReplyOf<'GET', '/testsets/:testsetId'>;

export const payloadFields = ['inputs', 'expected', 'outputs'] as const;
export type PayloadField = (typeof payloadFields)[number];
/** The payloads of a record; those that are too large to be looked into are missing. */
export type RecordValues = Partial<Record<PayloadField, Record<string, unknown>>>;

/** The variables of templates, for each subject. */
const variables = {
  record: [...payloadFields, 'guidelines', 'all'],
  pair: ['inputs', 'expected', 'first', 'second', 'guidelines', 'all'],
};
const isSlot = (name: string | undefined): boolean => name === 'first' || name === 'second';

const isField = (name: string | undefined): name is PayloadField =>
  payloadFields.some((field) => field === name);

/** Only these can follow a dot. */
const isName = (key: string): boolean => /^[A-Za-z_]\w*$/.test(key);

/** Completes names from a record, and from the schema of the run's testset. */
export const membersIn =
  ({
    values,
    testset,
    subject,
  }: {
    values: RecordValues;
    testset: Testset | undefined;
    subject: 'record' | 'pair';
  }): MembersAt =>
  (path) => {
    if (path.length === 0) return variables[subject];
    if (path.length === 1 && path[0] === 'all')
      return variables[subject].filter((name) => name !== 'guidelines' && name !== 'all');
    const named = path[0] === 'all' ? path.slice(1) : path;
    // Both runs answer in the same form.
    const isOfRun = subject === 'pair' && isSlot(named[0]);
    if (isOfRun && named.length === 1) return ['outputs'];
    const [field, ...rest] = isOfRun ? named.slice(1) : named;
    if (!isField(field)) return [];
    const names = [...keysAt(values[field], rest), ...schemaKeysAt(testset, field, rest)];
    return [...new Set(names)].filter(isName);
  };

function keysAt(value: unknown, path: string[]): string[] {
  let at = value;
  for (const name of path) at = isObject(at) ? at[name] : undefined;
  return isObject(at) && !Array.isArray(at) ? Object.keys(at) : [];
}

function schemaKeysAt(testset: Testset | undefined, field: PayloadField, path: string[]): string[] {
  if (path.length === 0) return schemaNamesOf(testset, field);
  if (!testset || field === 'outputs') return [];
  let at: unknown = testset.jsonSchema;
  for (const name of path) at = propertiesOf(at)[name];
  return Object.keys(propertiesOf(at));
}

/** The names that a testset gives to a payload of its records. */
export const schemaNamesOf = (testset: Testset | undefined, field: PayloadField): string[] =>
  testset && field !== 'outputs' ? testset.fieldMapping[field] : [];

const propertiesOf = (schema: unknown): Record<string, unknown> =>
  isObject(schema) && isObject(schema.properties) ? schema.properties : {};

/** As many pointers as a person looks through, and as deep. */
const pointersMax = 200;
const depthMax = 5;

/** The JSON Pointers of a value's members, the outer before the inner. */
export function pointersIn(value: unknown): string[] {
  const found: string[] = [];
  let level: [string, unknown][] = [['', value]];
  for (let depth = 0; depth < depthMax && level.length > 0; depth += 1) {
    const next: [string, unknown][] = [];
    for (const [above, container] of level) {
      if (!isComposite(container)) continue;
      for (const [key, member] of Object.entries(container)) {
        if (found.length >= pointersMax) return found;
        const pointer = `${above}/${escapeSegment(key)}`;
        found.push(pointer);
        next.push([pointer, member]);
      }
    }
    level = next;
  }
  return found;
}
