import fc from 'fast-check';
import type {
  ApiDocument,
  DocumentedOperation,
  DocumentedParameter,
  JsonSchema,
} from './api-document.ts';
import { brokenBodies, type JsonBody } from './broken-bodies.ts';
import type { GeneratedRequest } from './generated-request.ts';
import { anyObject, anyText, hostileText } from './hostile-values.ts';

/** What a client knows besides the document. */
export interface Knowledge {
  /**
   * Values for a parameter or member of this name that lead somewhere; undefined where any value
   * will do.
   */
  valuesOf(operation: DocumentedOperation, name: string): readonly string[] | undefined;
  /** Values that only another operation gives, as the query of a signed URL. */
  objectOf(name: string): fc.Arbitrary<unknown> | undefined;
  /** Bodies that the operation takes: the document's examples, with ids that exist. */
  examplesOf(operation: DocumentedOperation, type: string): unknown[];
}

export interface RequestArbitraries {
  /** As the document says: any body by its schema. */
  valid: fc.Arbitrary<GeneratedRequest>;
  /** The same, broken in one place. */
  broken: fc.Arbitrary<GeneratedRequest>;
  /** The operation's examples, of each content type. */
  examples: GeneratedRequest[];
}

const unknownId = '00000000-0000-7000-8000-000000000000';

export function createRequestArbitraries(document: ApiDocument, knowledge: Knowledge) {
  /** Any value of a schema; `name` is that of the member or parameter. */
  function valueFor(
    operation: DocumentedOperation,
    given: JsonSchema,
    name: string,
  ): fc.Arbitrary<unknown> {
    const schema = document.resolve(given);
    const inner = (each: JsonSchema, as = name) => valueFor(operation, each, as);
    const known =
      schema.type === 'string' && !schema.enum ? knowledge.valuesOf(operation, name) : undefined;
    if (known)
      return fc.oneof(
        { weight: 6, arbitrary: fc.constantFrom(...known) },
        { weight: 1, arbitrary: name.endsWith('Id') ? fc.constant(unknownId) : textOf(schema) },
      );
    if (schema.const !== undefined) return fc.constant(schema.const);
    if (schema.enum) return fc.constantFrom(...schema.enum);
    const alternatives = schema.oneOf ?? schema.anyOf;
    if (alternatives) return fc.oneof(...alternatives.map((each) => inner(each)));
    if (Array.isArray(schema.type))
      return fc.oneof(...schema.type.map((type) => inner({ ...schema, type })));
    switch (schema.type) {
      case 'object':
        return objectOf(schema, name, inner);
      case 'array':
        return fc.array(inner(schema.items ?? {}, name.replace(/s$/, '')), {
          minLength: schema.minItems ?? 0,
          maxLength: Math.min(4, schema.maxItems ?? 4),
        });
      case 'string':
        return textOf(schema);
      case 'integer':
        return fc.integer({ min: schema.minimum ?? 0, max: schema.maximum ?? 1000 });
      case 'number':
        return fc.double({
          min: schema.exclusiveMinimum ?? schema.minimum ?? 0,
          max: schema.exclusiveMaximum ?? schema.maximum ?? 1000,
          minExcluded: schema.exclusiveMinimum !== undefined,
          maxExcluded: schema.exclusiveMaximum !== undefined,
          noNaN: true,
        });
      case 'boolean':
        return fc.boolean();
      case 'null':
        return fc.constant(null);
      case undefined:
        return fc.oneof(anyObject, fc.constant(null), fc.boolean());
      default:
        throw new Error(`No value can be made of ${JSON.stringify(schema)} in ${operation.id}.`);
    }
  }

  function objectOf(
    schema: JsonSchema,
    name: string,
    inner: (each: JsonSchema, as: string) => fc.Arbitrary<unknown>,
  ) {
    const known = knowledge.objectOf(name);
    if (known) return known;
    const { additionalProperties: others, propertyNames = {} } = schema;
    if (!schema.properties)
      return typeof others === 'object'
        ? fc.dictionary(
            textOf(propertyNames).filter((text) => text !== propertyNames.not?.const),
            inner(others, ''),
            { maxKeys: 3 },
          )
        : anyObject;
    const members = Object.entries(schema.properties).map(
      ([member, each]) => [member, inner(each, member)] as const,
    );
    return fc.record(Object.fromEntries(members), {
      requiredKeys: schema.required ?? [],
      noNullPrototype: true,
    });
  }

  return function arbitrariesOf(operation: DocumentedOperation): RequestArbitraries {
    // A cursor comes from an answer.
    const of = (place: DocumentedParameter['in']) =>
      operation.parameters.filter((each) => each.in === place && each.name !== 'cursor');
    const parametersOf = (place: DocumentedParameter['in']) =>
      fc.record(
        Object.fromEntries(
          of(place).map(({ name, schema }) => [name, valueFor(operation, schema, name)]),
        ),
        {
          requiredKeys: of(place).flatMap(({ name, required }) => (required ? [name] : [])),
          noNullPrototype: true,
        },
      ) as fc.Arbitrary<Record<string, string | number | string[]>>;
    const parts = fc
      .record({
        path: parametersOf('path'),
        query: parametersOf('query'),
        headers: headersOf(of('header')),
      })
      .filter(({ query }) => queryText(query).length <= queryCharactersMax);

    const types = Object.entries(operation.requestBody?.content ?? {});
    const bodies = types.map(([type, { schema }]) =>
      (isJson(type) ? valueFor(operation, schema, '') : streamOf(operation, type)).map(
        (value): JsonBody => ({ type, schema, value }),
      ),
    );
    const examples = types.flatMap(([type, { schema }]) =>
      knowledge.examplesOf(operation, type).map((value): JsonBody => ({ type, schema, value })),
    );
    const body =
      types.length === 0
        ? fc.constant(undefined)
        : fc.oneof(...bodies, fc.constantFrom(...examples));
    const anyBody =
      operation.requestBody?.required === false ? fc.oneof(body, fc.constant(undefined)) : body;

    const request = (
      { path, query, headers }: RequestParts,
      sent: JsonBody | undefined,
    ): GeneratedRequest => ({
      path: `${fill(operation.path, path)}${queryText(query)}`,
      headers: { ...headers, ...(sent ? { 'content-type': concrete(sent.type) } : {}) },
      body: sent && textOfBody(sent),
      fault: undefined,
    });
    const required: RequestParts = {
      path: Object.fromEntries(
        of('path').map(({ name }) => [name, knowledge.valuesOf(operation, name)![0]!]),
      ),
      query: Object.fromEntries(
        of('query').flatMap(({ name, required }) =>
          required ? [[name, knowledge.valuesOf(operation, name)![0]!]] : [],
        ),
      ),
      headers: {},
    };

    const wrongBody = fc.tuple(parts, body).chain(([rest, sent]) =>
      brokenBodies(document, operation, sent).map((change) => ({
        ...request(rest, sent),
        ...change(request(rest, sent)),
      })),
    );
    const wrongParameter = fc.tuple(parts, body).chain(([rest, sent]) =>
      brokenParts(rest).map(({ fault, ...changed }) => ({
        ...request({ ...rest, ...changed }, sent),
        fault,
      })),
    );

    /** One parameter that is none, twice there, missing, or something else than it should be. */
    function brokenParts(
      rest: RequestParts,
    ): fc.Arbitrary<Partial<RequestParts> & Pick<GeneratedRequest, 'fault'>> {
      const broken = operation.parameters.map((parameter) => {
        const { name } = parameter;
        if (parameter.in === 'path')
          return wrongPathValue.map((value) => ({
            path: { ...rest.path, [name]: value },
            fault: faultOf(parameter, value),
          }));
        if (parameter.in === 'header')
          return fc.constantFrom('', 'x'.repeat(256), '\u00e9', 'a b', ' ').map((value) => ({
            headers: { ...rest.headers, [name]: value },
            fault: value === '' || value.length > 255 ? { place: undefined } : undefined,
          }));
        return fc.oneof(
          wrongQueryValue.map((value) => ({
            query: { ...rest.query, [name]: value },
            fault: faultOf(parameter, value),
          })),
          fc.constant({
            query: without(rest.query, name),
            fault: parameter.required ? { place: `?${name}` } : undefined,
          }),
        );
      });
      const strange = anyText.map((name) => ({
        query: { ...rest.query, [`x${name}`]: name },
        fault: undefined,
      }));
      return fc.oneof(...broken, strange);
    }

    function faultOf(
      { in: place, name, schema }: DocumentedParameter,
      value: string | string[],
    ): GeneratedRequest['fault'] {
      const fault = { place: place === 'query' ? `?${name}` : undefined };
      if (schema.type === 'array')
        return document.isValid(schema, Array.isArray(value) ? value : [value]) ? undefined : fault;
      if (Array.isArray(value)) return fault;
      return document.isValid(schema, readParameter(schema, value)) ? undefined : fault;
    }

    return {
      valid: fc.tuple(parts, anyBody).map(([rest, sent]) => request(rest, sent)),
      broken: fc.oneof(
        { weight: types.length > 0 ? 3 : 1, arbitrary: wrongBody },
        { weight: 1, arbitrary: wrongParameter },
      ),
      examples:
        types.length === 0
          ? [request(required, undefined)]
          : examples.map((example) => request(required, example)),
    };
  };
}

interface RequestParts {
  path: Record<string, string | number | string[]>;
  query: Record<string, string | number | string[]>;
  headers: Record<string, string>;
}

/**
 * The value of a parameter's text: of another form than its schema's it stays a text. A yes or no may
 * be 1 or 0, too.
 */
function readParameter({ type }: JsonSchema, value: string): string | number | boolean {
  if (type === 'boolean' && /^(true|false|1|0)$/.test(value)) return ['true', '1'].includes(value);
  if (type === 'integer' && /^\d+$/.test(value)) return Number(value);
  if (type === 'number' && /^-?\d+(\.\d+)?(e[+-]?\d+)?$/i.test(value)) return Number(value);
  return value;
}

const isJson = (type: string): boolean => type === 'application/json';
/** A type for what takes any. */
const concrete = (type: string): string => (type === '*/*' ? 'application/octet-stream' : type);

const textOfBody = ({ value }: JsonBody): string =>
  typeof value === 'string' ? value : JSON.stringify(value);

function textOf({
  format,
  pattern,
  minLength = 0,
  maxLength = 1000,
}: JsonSchema): fc.Arbitrary<string> {
  if (format === 'email') return fc.stringMatching(/^[a-z]{1,8}@[a-z]{1,8}\.example$/);
  if (format === 'uuid') return fc.oneof(fc.constant(unknownId), fc.uuid());
  if (format === 'date-time')
    return fc
      .date({ min: new Date('2100-01-01'), max: new Date('2200-01-01'), noInvalidDate: true })
      .map((date) => date.toISOString());
  // JSON Schema counts characters, and not the halves of surrogate pairs.
  const fits = (text: string) => {
    const { length } = [...text];
    return length >= minLength && length <= maxLength;
  };
  if (pattern) return fc.stringMatching(new RegExp(pattern)).filter(fits);
  const longest = fc
    .constantFrom('m', '\ud83d\ude80')
    .map((character) => character.repeat(maxLength));
  return fc.oneof(
    { weight: 4, arbitrary: anyText.filter(fits) },
    { weight: 1, arbitrary: hostileText.filter(fits) },
    { weight: 1, arbitrary: longest },
  );
}

/** Lines of text that may be entries: the document says no more of them than an example. */
function streamOf(operation: DocumentedOperation, type: string): fc.Arbitrary<string> {
  const { example } = operation.requestBody!.content[type]!;
  const line = fc.oneof(
    fc.constant(String(example)),
    fc.json({ maxDepth: 3 }),
    anyObject.map((value) => JSON.stringify(value)),
    anyText,
  );
  return fc.array(line, { maxLength: 4 }).map((lines) => lines.join('\n'));
}

const headersOf = (parameters: DocumentedParameter[]): fc.Arbitrary<Record<string, string>> =>
  fc.record(
    Object.fromEntries(
      parameters.map(({ name, schema }) => [
        name,
        fc.uuid().filter((value) => value.length <= (schema.maxLength ?? 255)),
      ]),
    ),
    { requiredKeys: [], noNullPrototype: true },
  ) as fc.Arbitrary<Record<string, string>>;

const wrongPathValue = fc.oneof(
  fc.constantFrom(
    unknownId,
    'x',
    ' ',
    '%',
    'null',
    `${unknownId}0`,
    unknownId.toUpperCase(),
    `{${unknownId}}`,
    'x'.repeat(3000),
  ),
  // A path with a segment of dots is another path.
  anyText.filter((text) => !/^\.{0,2}$/.test(text) && text.isWellFormed()),
);

const wrongQueryValue: fc.Arbitrary<string | string[]> = fc.oneof(
  fc.constantFrom(
    '',
    '0',
    '-1',
    '101',
    '1.5',
    '1e1',
    '99999999999',
    'null',
    'x'.repeat(5000),
    unknownId,
    '[object Object]',
  ),
  fc.constantFrom(['1', '2'], ['a', 'a'], ['', ''], Array.from({ length: 60 }, String)),
  anyText.filter((text) => text.isWellFormed()),
);

const without = <Value>(members: Record<string, Value>, name: string): Record<string, Value> =>
  Object.fromEntries(Object.entries(members).filter(([each]) => each !== name));

const fill = (path: string, values: RequestParts['path']): string =>
  path.replaceAll(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(values[name])));

/**
 * The gateway takes 15 KiB of headers with the path, which the document cannot say: several long
 * texts are more, percent-encoded.
 */
const queryCharactersMax = 12 * 1024;

function queryText(query: RequestParts['query']): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value]).map((each): [string, string] => [name, String(each)]),
  );
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}
