import { type Content, type Html, html } from './html.ts';
import type { Reference, Schema } from './reference.ts';

/** How a page shows schemas: its links, and what the schemas refer to. */
export interface SchemaView {
  reference: Reference;
  /** The address of a shape, seen from the page. */
  shapeLink(name: string): string;
  sentence(text: string): Html;
  /** Whether small shapes are shown where they are used. */
  opensShapes: boolean;
}

/** A field, or one of an object within it by its whole path, such as `items[].key`. */
interface Field {
  path: string;
  schema: Schema;
  /** A word below its name, such as `required`; an empty text for none. */
  mark: string;
}

/** Objects within objects are shown down to here; deeper ones by a link, or not at all. */
const depthMax = 3;

/** Fields of a shape that is shown where it is used. */
const smallShapeMax = 6;

/** Returns the table of an object's fields, or of a union the list of its shapes. */
export function fieldsOf(schema: Schema, view: SchemaView): Html {
  const resolved = view.reference.resolve(schema);
  if (resolved.oneOf)
    return html`<p>One of: ${joined(
      resolved.oneOf.map((one) => typeOf(one as Schema, view)),
      ', ',
    )}.</p>\n`;
  const fields = expand(resolved, '', 0, view);
  if (fields.length === 0) return html`<p>${typeOf(resolved, view)}. ${limitsOf(resolved)}</p>\n`;
  return html`<table class="fields">
<thead><tr><th scope="col">Field</th><th scope="col">Type</th><th scope="col">Description</th></tr></thead>
<tbody>
${fields.map((field) => fieldRow(field, view))}</tbody>
</table>\n`;
}

/** Returns one row of a table of fields, or of parameters. */
export function fieldRow({ path, schema, mark }: Field, view: SchemaView): Html {
  const inner = view.reference.resolve(schema);
  const limits = limitsOf(inner === schema ? schema : { ...inner, ...schema });
  const description = schema.description ?? inner.description;
  return html`<tr><th scope="row"><code>${breakable(path)}</code>${mark !== '' && html` <span class="mark ${mark}">${mark}</span>`}</th>
<td>${typeOf(schema, view)}${limits !== '' && html`<br><span class="limits">${limits}</span>`}</td>
<td>${description !== undefined && view.sentence(description)}</td></tr>\n`;
}

function expand(schema: Schema, prefix: string, depth: number, view: SchemaView): Field[] {
  return Object.entries((schema.properties ?? {}) as Record<string, Schema>).flatMap(
    ([name, member]) => {
      const path = `${prefix}${name}`;
      const mark = schema.required?.includes(name) ? 'required' : '';
      const field = { path, schema: member, mark };
      const [inner, suffix] = objectWithin(member, view);
      if (depth + 1 >= depthMax || inner === undefined) return [field];
      return [field, ...expand(inner, `${path}${suffix}.`, depth + 1, view)];
    },
  );
}

/**
 * The object whose fields are shown below a field: its own, or that of its elements. Of a shape,
 * which has a place of its own, only a small one.
 */
function objectWithin(schema: Schema, view: SchemaView): [Schema | undefined, string] {
  if (schema.$ref !== undefined) {
    const shape = view.reference.resolve(schema);
    const size = Object.keys(shape.properties ?? {}).length;
    return [view.opensShapes && size > 0 && size <= smallShapeMax ? shape : undefined, ''];
  }
  if (schema.properties) return [schema, ''];
  if (schema.items) {
    const [inner, suffix] = objectWithin(schema.items as Schema, view);
    return [inner, `[]${suffix}`];
  }
  const options = (schema.anyOf ?? []) as Schema[];
  const objects = options.filter(({ properties }) => properties);
  return [objects.length === 1 ? objects[0] : undefined, ''];
}

/** Returns the type of a schema in words, with links to shapes. */
export function typeOf(schema: Schema, view: SchemaView): Content {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.split('/').at(-1)!;
    return html`<a href="${view.shapeLink(name)}">${breakable(name)}</a>`;
  }
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`;
  if (schema.enum)
    return joined(
      schema.enum.map((value) => html`<code>${JSON.stringify(value)}</code>`),
      ', ',
      ' or ',
    );
  const options = (schema.anyOf ?? schema.oneOf) as Schema[] | undefined;
  if (options)
    return joined(
      options.map((option) => typeOf(option, view)),
      ', ',
      ' or ',
    );
  if (schema.type === 'array')
    return ['array of ', schema.items ? typeOf(schema.items as Schema, view) : 'values'];
  if (Array.isArray(schema.type)) return schema.type.join(' or ');
  const { additionalProperties: values } = schema;
  if (schema.type === 'object' && typeof values === 'object' && (values as Schema).type)
    return ['object of ', typeOf(values as Schema, view)];
  return schema.type ?? 'any JSON';
}

/** Returns the limits of a schema in words: lengths, bounds, form and default. */
function limitsOf(given: Schema): string {
  const options = ((given.anyOf ?? []) as Schema[]).filter(({ type }) => type !== 'null');
  const schema = options.length === 1 ? { ...options[0], ...given } : given;
  const words = [
    range(schema.minLength, schema.maxLength, 'character'),
    range(schema.minItems, schema.maxItems, 'element'),
    range(schema.minProperties, schema.maxProperties, 'key'),
    boundsOf(schema),
    schema.format === undefined ? '' : (formats[schema.format] ?? schema.format),
    schema.pattern === undefined ? '' : `matches ${schema.pattern}`,
    schema.default === undefined ? '' : `default ${JSON.stringify(schema.default)}`,
  ];
  return words.filter((word) => word !== '').join(' · ');
}

const formats: Record<string, string> = {
  uuid: 'UUID',
  'date-time': 'ISO 8601, in UTC',
  email: 'email address',
};

function range(least: number | undefined, most: number | undefined, noun: string): string {
  if (most === undefined) return least ? `at least ${counted(least, noun)}` : '';
  return least ? `${least} to ${counted(most, noun)}` : `at most ${counted(most, noun)}`;
}

const counted = (count: number, noun: string): string =>
  `${count.toLocaleString('en')} ${noun}${count === 1 ? '' : 's'}`;

function boundsOf({ minimum, maximum, exclusiveMinimum, exclusiveMaximum }: Schema): string {
  // The range of safe integers is no limit that anybody chose.
  const chosen = (bound: number | undefined) =>
    bound === undefined || Math.abs(bound) >= Number.MAX_SAFE_INTEGER ? undefined : bound;
  const [least, most] = [chosen(minimum), chosen(maximum)];
  if (least !== undefined && most !== undefined) return `${figure(least)} to ${figure(most)}`;
  return [
    least === undefined ? '' : `at least ${figure(least)}`,
    exclusiveMinimum === undefined ? '' : `more than ${figure(exclusiveMinimum)}`,
    most === undefined ? '' : `at most ${figure(most)}`,
    exclusiveMaximum === undefined ? '' : `less than ${figure(exclusiveMaximum)}`,
  ]
    .filter((word) => word !== '')
    .join(', ');
}

const figure = (value: number): string =>
  value.toLocaleString('en', { maximumSignificantDigits: 17 });

/** A long name with places at which its line may break. */
const breakable = (name: string): Content =>
  name
    .split(/(?<=[a-z\]])(?=[A-Z.[])|(?<=\.)/)
    .map((part, index) => (index === 0 ? part : html`<wbr>${part}`));

function joined(contents: Content[], separator: string, last = separator): Content {
  return contents.map((content, index) =>
    index === 0 ? content : [index === contents.length - 1 ? last : separator, content],
  );
}
