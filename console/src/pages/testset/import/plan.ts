import { cellJson, type FieldType, typeOfColumn } from '../../../files/columns.ts';
import { type Entry, errorColumn, keyColumn } from '../../../files/entries.ts';
import { type Definition, fieldsOf, type Role, withField } from '../fields.ts';

/** The field that a column of a file becomes. */
export interface ColumnPlan {
  column: string;
  field: string;
  /** `key`: the column names the testcases. */
  role: Role | 'key' | 'ignore';
  /** The type of a field that is new. */
  type: FieldType;
}

/** Names under which files have expected answers. */
const expectedName = /expect|ideal|reference|answer|target|gold|label|solution/i;

/**
 * Suggests a field for each column: the one of its name, or a new one. Of a testset without fields
 * the columns become inputs, but for those whose name says that they are expected.
 */
export function suggestPlan(
  columns: string[],
  entries: Entry[],
  { definition, isTable }: { definition: Definition; isTable: boolean },
): ColumnPlan[] {
  const fields = fieldsOf(definition);
  return columns.map((column) => {
    const known = fields.find(({ name }) => name === column);
    const guess = expectedName.test(column) ? 'expected' : 'inputs';
    const role = known?.role ?? (fields.length === 0 ? guess : 'metadata');
    return {
      column,
      field: column,
      role: column === errorColumn ? 'ignore' : column === keyColumn && !known ? 'key' : role,
      type: typeOfColumn(entries, column, { isTable }),
    };
  });
}

/** Why a plan cannot be carried out: two columns for one field, or a field without a name. */
export function faultOf(plan: ColumnPlan[]): string | undefined {
  if (plan.filter(({ role }) => role === 'key').length > 1) return 'Two columns are the key.';
  const used = plan.filter(isData).map(({ field }) => field);
  if (used.length === 0) return 'Every column is ignored.';
  if (used.includes('')) return 'A field has no name.';
  const twice = used.find((field, index) => used.indexOf(field) !== index);
  return twice === undefined ? undefined : `Two columns become the field “${twice}”.`;
}

/** The columns whose field the definition does not have yet. */
export function newFields(plan: ColumnPlan[], definition: Definition): ColumnPlan[] {
  const known = new Set(fieldsOf(definition).map(({ name }) => name));
  return plan.filter((one) => isData(one) && !known.has(one.field));
}

const isData = ({ role }: ColumnPlan): boolean => role !== 'ignore' && role !== 'key';

/** Whether the plan has a column that names the testcases. */
export const hasKeys = (plan: ColumnPlan[]): boolean => plan.some(({ role }) => role === 'key');

/**
 * Returns a function that reads the key of an entry: the text of its cell, or of its value. Undefined
 * where it has none.
 */
export function keyReader(
  plan: ColumnPlan[],
  { isTable }: { isTable: boolean },
): (entry: Entry) => string | undefined {
  const column = plan.find(({ role }) => role === 'key')?.column;
  return ({ values }) => {
    const value = column === undefined ? undefined : values.get(column);
    const text = !isTable && value?.startsWith('"') ? (JSON.parse(value) as string) : value;
    return text === '' || (!isTable && text === 'null') ? undefined : text;
  };
}

/** Returns the definition with the new fields of a plan. */
export const definitionOf = (plan: ColumnPlan[], definition: Definition): Definition =>
  newFields(plan, definition).reduce(
    (result, { field, role, type }) => withField(result, field, { role: role as Role, type }),
    definition,
  );

/**
 * Returns a function that writes an entry as the data of a testcase, on one line. A column that the
 * plan does not name keeps its name.
 */
export function dataWriter(
  plan: ColumnPlan[],
  { definition, isTable }: { definition: Definition; isTable: boolean },
): (entry: Entry) => string {
  const byColumn = new Map(plan.map((one) => [one.column, one]));
  const types = new Map(fieldsOf(definition).map(({ name, types }) => [name, types]));
  return ({ values }) => {
    const members = [...values].flatMap(([column, value]) => {
      const { role, field } = byColumn.get(column) ?? { role: 'metadata', field: column };
      if (role === 'ignore' || role === 'key') return [];
      const json = isTable
        ? cellJson(value, types.get(field) ?? [])
        : value.replace(/[\r\n]+/g, ' ');
      return [`${JSON.stringify(field)}:${json}`];
    });
    return `{${members.join(',')}}`;
  };
}
