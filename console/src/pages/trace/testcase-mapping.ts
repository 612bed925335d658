import { isObject } from '@assay/json/value';
import { pointerTo } from '../../text/pointer.ts';
import { type Definition, type Field, fieldsOf } from '../testset/fields.ts';

/** A trace's parts of which a testcase is made. */
export interface TraceParts {
  input?: unknown;
  output?: unknown;
  metadata?: unknown;
}

/** The parts in which a field of each role is looked for, the likeliest first. */
const partsOfRole: Record<Field['role'], (keyof TraceParts)[]> = {
  inputs: ['input', 'output', 'metadata'],
  expected: ['output', 'input', 'metadata'],
  metadata: ['metadata', 'input', 'output'],
};

/**
 * The place in a trace for each field of a testset: that of the same name; else the whole input or
 * output for the only input or expected field, where it has the type that the schema says.
 */
export function mappingFor(definition: Definition, trace: TraceParts): Map<string, string> {
  const fields = fieldsOf(definition);
  const places = new Map<string, string>();
  for (const { name, role } of fields) {
    const part = partsOfRole[role].find((one) => hasName(trace[one], name));
    if (part) places.set(name, pointerTo(`/${part}`, name));
  }
  for (const role of ['inputs', 'expected'] as const) {
    const own = fields.filter((field) => field.role === role);
    const first = own.find(({ isRequired }) => isRequired) ?? own[0];
    if (!first || own.some(({ name }) => places.has(name))) continue;
    const place = placeOf(first, partsOfRole[role][0]!, trace);
    if (place) places.set(first.name, place);
  }
  return places;
}

const hasName = (part: unknown, name: string): boolean =>
  isObject(part) && Object.hasOwn(part, name);

/** The part itself, else its only member, where its type fits. */
function placeOf(field: Field, part: keyof TraceParts, trace: TraceParts): string | undefined {
  const value = trace[part];
  if (value === undefined || value === null) return undefined;
  if (fits(field, value)) return `/${part}`;
  const [only, ...others] = isObject(value) ? Object.entries(value) : [];
  return only && others.length === 0 && fits(field, only[1])
    ? pointerTo(`/${part}`, only[0])
    : undefined;
}

const fits = ({ types }: Field, value: unknown): boolean =>
  types.length === 0 ||
  types.includes(typeName(value)) ||
  (types.includes('integer') && Number.isInteger(value));

function typeName(value: unknown): string {
  if (value === null) return 'null';
  return Array.isArray(value) ? 'array' : typeof value;
}

/** A mapping that says nothing but what the parts of a trace are. */
export const wholeParts: Record<keyof TraceParts, string> = {
  input: '/input',
  output: '/output',
  metadata: '/metadata',
};
