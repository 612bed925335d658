import { pointerSegments } from '@assay/json/pointer';
import {
  payloadFields,
  pointersIn,
  type RecordValues,
  schemaNamesOf,
  type Testset,
} from './names.ts';

/** A field of a template, and the Jinja expression of the value that it reads. */
export interface TemplateField {
  name: string;
  expression: string;
}

/** The lines that adoption writes, one for each field, at the beginning of a template. */
const line = /^\{% set (\w+) = (.*) -%\}$/;

/** The fields of a template, by the lines that it begins with. */
export function fieldsOf(template: string): TemplateField[] {
  const fields: TemplateField[] = [];
  for (const text of template.split('\n')) {
    const [, name, expression] = line.exec(text) ?? [];
    if (name === undefined) break;
    fields.push({ name, expression: expression! });
  }
  return fields;
}

/** The template, with one of its fields reading something else. */
export function withField(template: string, { name, expression }: TemplateField): string {
  const index = fieldsOf(template).findIndex((field) => field.name === name);
  return template
    .split('\n')
    .map((text, at) => (at === index ? `{% set ${name} = ${expression} -%}` : text))
    .join('\n');
}

/** The expression that reads what a JSON Pointer into a record leads to. */
export function expressionOf(pointer: string): string {
  const [part, ...segments] = pointerSegments(pointer);
  return part! + segments.map(accessTo).join('');
}

/** The expressions of all that a record has, or its testset says that it will have. */
export function expressionsIn(values: RecordValues, testset: Testset | undefined): string[] {
  const found = payloadFields.flatMap((field) => [
    field,
    ...schemaNamesOf(testset, field).map((name) => field + accessTo(name)),
    ...pointersIn(values[field]).map((pointer) => field + accessesTo(pointer)),
  ]);
  return [...new Set(found)];
}

const access = /^(?:\.([A-Za-z_]\w*)|\[(\d+)\]|\["((?:[^"\\]|\\.)*)"\])/;

/**
 * Whether a record certainly lacks what an expression names. Of an expression that computes, and of
 * a payload that was not read, nothing is certain.
 */
export function isAbsent(expression: string, values: RecordValues): boolean {
  const field = payloadFields.find((name) => expression.startsWith(name));
  let at: unknown = field && values[field];
  if (at === undefined) return false;
  let rest = expression.slice(field!.length);
  while (rest !== '') {
    const [whole, name, index, quoted] = access.exec(rest) ?? [];
    if (whole === undefined) return false;
    const key = name ?? index ?? quoted!.replaceAll(/\\(.)/g, '$1');
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return true;
    at = (at as Record<string, unknown>)[key];
    rest = rest.slice(whole.length);
  }
  return false;
}

const accessesTo = (pointer: string): string => pointerSegments(pointer).map(accessTo).join('');

/** As the adoption of a template writes it: `.name`, `[0]`, or `["any other name"]`. */
function accessTo(segment: string): string {
  if (/^[A-Za-z_]\w*$/.test(segment)) return `.${segment}`;
  if (/^(0|[1-9]\d{0,8})$/.test(segment)) return `[${segment}]`;
  return `["${segment.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"]`;
}
