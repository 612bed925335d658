import type { ReplyOf } from '@assay/client/operations';
import { isObject } from '@assay/json/value';
import { type FieldType, fieldTypes } from '../../files/columns.ts';

export type Testset = ReplyOf<'GET', '/testsets/:testsetId'>;
/** The shape of the testcases of a testset. */
export type Definition = Pick<Testset, 'jsonSchema' | 'fieldMapping'>;
export type Role = keyof Definition['fieldMapping'];

/** The roles in the order of the columns, each with its name. */
export const roles: Record<Role, string> = {
  inputs: 'input',
  expected: 'expected',
  metadata: 'metadata',
};
const roleNames = Object.keys(roles) as Role[];

export interface Field {
  name: string;
  role: Role;
  /** `other` for a property that says more than one type. */
  type: FieldType | 'other';
  /** The types that the property allows; none where it says nothing. */
  types: string[];
  isRequired: boolean;
  description: string;
}

type Property = Record<string, unknown>;

const propertiesOf = ({ jsonSchema }: Definition): Property =>
  isObject(jsonSchema.properties) ? jsonSchema.properties : {};
const requiredOf = ({ jsonSchema }: Definition): unknown[] =>
  Array.isArray(jsonSchema.required) ? jsonSchema.required : [];

function ownProperty(definition: Definition, name: string): Property | undefined {
  const properties = propertiesOf(definition);
  const property = Object.hasOwn(properties, name) ? properties[name] : undefined;
  return isObject(property) ? property : undefined;
}

/** The fields of a testset: inputs, expected, metadata, then those that only the schema has. */
export function fieldsOf(definition: Definition): Field[] {
  const mapped = roleNames.flatMap((role) =>
    definition.fieldMapping[role].map((name) => ({ name, role })),
  );
  const known = new Set(mapped.map(({ name }) => name));
  const others = Object.keys(propertiesOf(definition))
    .filter((name) => !known.has(name))
    .map((name) => ({ name, role: 'metadata' as const }));
  return [...mapped, ...others].map(({ name, role }) => {
    const property = ownProperty(definition, name) ?? {};
    const types = [property.type ?? []].flat().map(String);
    return {
      name,
      role,
      types,
      type: typeOf(property, types),
      isRequired: requiredOf(definition).includes(name),
      description: typeof property.description === 'string' ? property.description : '',
    };
  });
}

function typeOf(property: Property, types: string[]): Field['type'] {
  const [type] = types;
  if (type === undefined) return '$ref' in property ? 'other' : 'any';
  const known = fieldTypes.find((one) => one === type);
  return types.length === 1 && known ? known : 'other';
}

/** Returns the definition with a change of one field; all else of its schema stays. */
export function withField(
  definition: Definition,
  name: string,
  change: Partial<Pick<Field, 'name' | 'role' | 'type' | 'isRequired' | 'description'>>,
): Definition {
  const field = fieldsOf(definition).find((one) => one.name === name);
  const { name: newName = name, role = field?.role ?? 'metadata' } = change;
  const renamed = (names: string[]) => names.map((one) => (one === name ? newName : one));
  const { properties = {}, required } = definition.jsonSchema;
  const property = { ...ownProperty(definition, name) };
  if (change.type === 'any') delete property.type;
  else if (change.type !== undefined && change.type !== 'other') property.type = change.type;
  if (change.description === '') delete property.description;
  else if (change.description !== undefined) property.description = change.description;
  const isRedefined = change.type !== undefined || change.description !== undefined || !field;
  const entries = Object.entries({
    ...(properties as Property),
    ...(isRedefined ? { [name]: property } : {}),
  });
  const others = (Array.isArray(required) ? required : []).filter((one) => one !== name);
  const isRequired = change.isRequired ?? field?.isRequired ?? false;
  const { fieldMapping } = definition;
  return {
    jsonSchema: {
      ...definition.jsonSchema,
      properties: Object.fromEntries(
        entries.map(([key, value]) => [key === name ? newName : key, value]),
      ),
      ...(required !== undefined || isRequired
        ? { required: isRequired ? [...others, newName] : others }
        : {}),
    },
    fieldMapping: Object.fromEntries(
      roleNames.map((each) => [
        each,
        each === role
          ? fieldMapping[each].includes(name)
            ? renamed(fieldMapping[each])
            : [...fieldMapping[each], newName]
          : fieldMapping[each].filter((one) => one !== name),
      ]),
    ) as Definition['fieldMapping'],
  };
}

/** Returns the definition without a field. */
export function withoutField(definition: Definition, name: string): Definition {
  const { [name]: _property, ...properties } = propertiesOf(definition);
  const { required } = definition.jsonSchema;
  return {
    jsonSchema: {
      ...definition.jsonSchema,
      properties,
      ...(Array.isArray(required) ? { required: required.filter((one) => one !== name) } : {}),
    },
    fieldMapping: Object.fromEntries(
      roleNames.map((role) => [role, definition.fieldMapping[role].filter((one) => one !== name)]),
    ) as Definition['fieldMapping'],
  };
}

/** The definition of a testset that has no fields yet. */
export const noFields: Definition = {
  jsonSchema: { type: 'object', properties: {} },
  fieldMapping: { inputs: [], expected: [], metadata: [] },
};
