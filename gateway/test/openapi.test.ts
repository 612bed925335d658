import { contracts } from '@assay/contracts/all';
import { payloadPlan } from '@assay/contracts/body-shape';
import { isDocumented, isReadOnly } from '@assay/contracts/define';
import { parseBody } from '@assay/runtime/http/body';
import { describe, expect, test } from 'vitest';
import { createOpenApi } from '../src/openapi.ts';

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
interface Media {
  schema: object;
  example?: unknown;
  examples?: Record<string, { value: unknown }>;
}
interface DescribedOperation {
  operationId: string;
  tags: string[];
  parameters?: { in: string; name: string; description?: string; schema: object }[];
  requestBody?: {
    content: Record<string, Media>;
    description: string;
    'x-body-bytes-max'?: number;
  };
  responses: Record<string, { content?: Record<string, Media> }>;
  security?: object[];
}

const document = JSON.parse(JSON.stringify(createOpenApi(contracts))) as Json & {
  openapi: string;
  paths: Record<string, Record<string, DescribedOperation>>;
  security: object[];
  tags: { name: string; description: string }[];
  components: { schemas: Record<string, { oneOf?: object[] }> };
};
const operations = contracts.flatMap(({ operations: of }) =>
  Object.entries(of)
    .filter(([, definition]) => isDocumented(definition))
    .map(([name, definition]) => ({ name, definition })),
);
function described({ path, method }: { path: string; method: string }): DescribedOperation {
  const found = document.paths[path.replaceAll(/:(\w+)/g, '{$1}')]![method.toLowerCase()]!;
  const responses = Object.entries(found.responses).map(([status, response]) => [
    status,
    '$ref' in response ? resolve(response.$ref as string) : response,
  ]);
  return { ...found, responses: Object.fromEntries(responses) };
}

/** Names that say what their field is: ids, instants of making and changing, and names of things. */
const told = /^(id|\w+Ids?|createdAt|updatedAt|name|description|message)$/;

interface Schema {
  description?: string;
  $ref?: string;
  properties?: Record<string, Schema>;
  items?: Schema;
  additionalProperties?: Schema | boolean;
  anyOf?: Schema[];
  oneOf?: Schema[];
}

const partsOf = ({ anyOf = [], oneOf = [], items }: Schema): Schema[] => [
  ...anyOf,
  ...oneOf,
  ...(items ? [items] : []),
];

/** Is there a sentence of it, or of the shape that it refers to? */
const isDescribed = (schema: Schema): boolean =>
  schema.description !== undefined ||
  schema.$ref !== undefined ||
  partsOf(schema).some(isDescribed);

function* fieldsWithoutWords(place: string, schema: Schema): Iterable<string> {
  for (const [name, field] of Object.entries(schema.properties ?? {})) {
    if (!told.test(name) && !isDescribed(field)) yield `${place}.${name}`;
    yield* fieldsWithoutWords(`${place}.${name}`, field);
  }
  for (const part of partsOf(schema)) yield* fieldsWithoutWords(place, part);
  if (typeof schema.additionalProperties === 'object')
    yield* fieldsWithoutWords(`${place}.*`, schema.additionalProperties);
}

/** All examples of one body. */
const examplesOf = ({ example, examples }: Media): unknown[] =>
  examples ? Object.values(examples).map(({ value }) => value) : [example];

function* referencesIn(value: Json): Iterable<string> {
  if (Array.isArray(value)) for (const element of value) yield* referencesIn(element);
  else if (value !== null && typeof value === 'object') {
    for (const [key, member] of Object.entries(value)) {
      if (key === 'example' || key === 'examples') continue;
      if (key === '$ref') yield member as string;
      else yield* referencesIn(member);
    }
  }
}

const resolve = (reference: string): unknown =>
  reference
    .slice(2)
    .split('/')
    .reduce<unknown>(
      (value, key) => (value as Record<string, unknown> | undefined)?.[key],
      document,
    );

describe('the API document', () => {
  test('is OpenAPI 3.1, and every $ref in it leads somewhere', () => {
    expect(document.openapi).toBe('3.1.0');
    const references = [...new Set(referencesIn(document))];
    expect(references.length).toBeGreaterThan(10);
    for (const reference of references)
      expect([reference, typeof resolve(reference)]).toEqual([reference, 'object']);
  });

  test('says of each format of an export and an import what it is: text, or an array', () => {
    const paths = document.paths as Record<
      string,
      Record<string, { requestBody?: object; responses: Record<string, object> }>
    >;
    const typesOf = (body: object | undefined) =>
      Object.entries(
        (body as { content: Record<string, { schema: { type: string } }> }).content,
      ).map(([type, { schema }]) => [type, schema.type]);
    const formats = [
      ['application/x-ndjson', 'string'],
      ['text/csv', 'string'],
      ['application/json', 'array'],
    ];
    expect(typesOf(paths['/testsets/{testsetId}/testcases/export']!.get!.responses['200'])).toEqual(
      formats,
    );
    expect(typesOf(paths['/testsets/{testsetId}/testcases/import']!.post!.requestBody)).toEqual(
      formats,
    );
  });

  test('describes every operation that clients may call, once, and no other', () => {
    const ids = Object.values(document.paths).flatMap((methods) =>
      Object.values(methods).map(({ operationId }) => operationId),
    );
    expect(ids.sort()).toEqual(operations.map(({ name }) => name).sort());
    expect(new Set(ids).size).toBe(ids.length);
    expect(JSON.stringify(document)).not.toContain('/internal/');
  });

  test('has one word and a sentence for each tag, a tag for each operation, and none without one', () => {
    for (const { name, description } of document.tags) {
      expect(name).toMatch(/^[A-Z][a-z]+$/);
      expect(description).toMatch(/^[A-Z].*\.$/);
    }
    const used = operations.flatMap(({ definition }) => described(definition).tags);
    expect([...new Set(used)].sort()).toEqual(document.tags.map(({ name }) => name).sort());
    expect(used).toHaveLength(operations.length);
  });

  test('names each body and each reply, so that types of clients have names', () => {
    for (const { name, definition } of operations) {
      const { requestBody, responses } = described(definition);
      const json = [requestBody, responses[String(definition.status)]].flatMap(
        (described) => described?.content?.['application/json'] ?? [],
      );
      if (definition.streams || definition.replyStreams) continue;
      for (const { schema } of json)
        expect([name, schema]).toEqual([name, { $ref: expect.any(String) }]);
    }
  });

  test('says of every field and every parameter what it is, but where its name does', () => {
    const fields = Object.entries(document.components.schemas).flatMap(([name, schema]) => [
      ...fieldsWithoutWords(name, schema as Schema),
    ]);
    expect(fields).toEqual([]);
    const parameters = operations.flatMap(({ name, definition }) =>
      (described(definition).parameters ?? [])
        .filter(({ description, schema }) => !description && !isDescribed(schema as Schema))
        .map((parameter) => `${name} ${parameter.name}`),
    );
    expect(parameters).toEqual([]);
  });

  test('names each shape of a metric, in one flat union', () => {
    const shapes = ['Ai', 'Human', 'Heuristic'].flatMap((by) =>
      ['Int', 'Float', 'Boolean'].map((output) => `${by}${output}Metric`),
    );
    for (const verb of ['', 'Create', 'Update'])
      expect(document.components.schemas[`${verb}Metric`]!.oneOf).toEqual(
        shapes.map((name) => ({ $ref: `#/components/schemas/${verb}${name}` })),
      );
  });

  test('has nothing that generators make no client of: a union in a union, a boolean constant, a name for input and one for output', () => {
    const text = JSON.stringify(document);
    expect(text).not.toMatch(/"oneOf":\[(\{[^[\]]*\},)*\{"oneOf"/);
    expect(text).not.toMatch(/"const":(true|false)/);
    expect(
      Object.keys(document.components.schemas).filter((name) => /(In|Out)put$/.test(name)),
    ).toEqual([]);
  });

  test('has an example of every body and every reply', () => {
    for (const { name, definition } of operations) {
      const { requestBody, responses } = described(definition);
      if (definition.body || definition.streams)
        for (const media of Object.values(requestBody!.content))
          expect([name, examplesOf(media).includes(undefined)]).toEqual([name, false]);
      if (definition.status === 204) expect(responses['204']).not.toHaveProperty('content');
      // A removed operation has no reply but its failure.
      else if (!definition.reply && !definition.replyStreams)
        expect(definition.failures).toContain('GONE');
      else
        for (const media of Object.values(responses[String(definition.status)]!.content!))
          expect([name, media.example]).not.toEqual([name, undefined]);
    }
  });

  test('every example of a body is one that its operation takes, and the first is its own', () => {
    for (const { name, definition } of operations) {
      if (!definition.body) continue;
      const { body } = definition;
      const examples = examplesOf(described(definition).requestBody!.content['application/json']!);
      for (const example of examples) {
        const text = JSON.stringify(example);
        const parsed = body.safeParse(parseBody(Buffer.from(text), payloadPlan(body)));
        expect([name, text, parsed.error?.issues ?? []]).toEqual([name, text, []]);
      }
      expect(examples).toContainEqual(definition.example!.body);
    }
  });

  test('has an example of each shape that a body may have, under the name of the shape', () => {
    const unions = operations.flatMap(({ definition }) => {
      const media = described(definition).requestBody?.content['application/json'];
      const reference = (media?.schema as { $ref?: string } | undefined)?.$ref;
      const { oneOf } = (reference ? resolve(reference) : {}) as { oneOf?: { $ref: string }[] };
      return oneOf ? [{ media: media!, oneOf }] : [];
    });
    expect(unions.map(({ oneOf }) => oneOf.length)).toEqual([9, 9]);
    for (const { media, oneOf } of unions)
      expect(Object.keys(media.examples!)).toEqual(oneOf.map(({ $ref }) => $ref.split('/').at(-1)));
  });

  test('writes the example of CSV in columns', () => {
    const { requestBody } = described({
      method: 'POST',
      path: '/testsets/:testsetId/testcases/import',
    });
    expect(requestBody!.content['text/csv']!.example).toBe(
      'question,idealAnswer,topic,_key\nWhere is my parcel?,Ask for the tracking number.,shipping,parcel-lost\n',
    );
  });

  test('names the parameters of every path, page parameters on lists, and the Idempotency-Key on every POST but searches', () => {
    for (const { definition } of operations) {
      const has = (place: string, name: string) =>
        described(definition).parameters?.some(
          (parameter) => parameter.in === place && parameter.name === name,
        ) ?? false;
      for (const [, name] of definition.path.matchAll(/:(\w+)/g))
        expect(has('path', name!)).toBe(true);
      expect(has('query', 'cursor')).toBe('item' in definition);
      expect(has('header', 'Idempotency-Key')).toBe(
        definition.method === 'POST' && !isReadOnly(definition),
      );
    }
  });

  test('states the limit of every body', () => {
    const record = described({ method: 'POST', path: '/runs/:runId/records' }).requestBody!;
    expect(record['x-body-bytes-max']).toBe(15 * 1024 * 1024);
    for (const { definition } of operations)
      if (definition.body)
        expect(described(definition).requestBody!['x-body-bytes-max']).toBeGreaterThan(0);
  });

  test('every operation tells its failures, with an example of each in the one shape', () => {
    for (const { definition } of operations) {
      const { responses } = described(definition);
      const codes = Object.values(responses).flatMap(({ content }) =>
        Object.values(content ?? {}).flatMap(({ examples }) => Object.entries(examples ?? {})),
      );
      for (const [code, { value }] of codes)
        expect(value).toEqual({ code, message: expect.any(String), details: expect.any(Object) });
      const told = codes.map(([code]) => code);
      for (const code of [
        'RATE_LIMITED',
        'INTERNAL_ERROR',
        'SERVICE_UNAVAILABLE',
        ...(definition.failures ?? []),
      ])
        expect(told).toContain(code);
      if (definition.access === 'admin') expect(told).toContain('FORBIDDEN');
      const isWithoutKey = definition.access === 'signature' || definition.access === 'keyless';
      expect(told.includes('UNAUTHORIZED')).toBe(!isWithoutKey);
    }
  });

  test('tells of every operation that may be sent a body that it is refused for its coding, its size and its type', () => {
    for (const { name, definition } of operations) {
      const told = Object.values(described(definition).responses).flatMap(({ content }) =>
        Object.values(content ?? {}).flatMap(({ examples }) => Object.keys(examples ?? {})),
      );
      for (const code of ['MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'])
        expect([name, told.includes(code)]).toEqual([name, definition.method !== 'GET']);
    }
  });

  test('says that a download has the type that its file was declared with', () => {
    const { responses } = described({ method: 'GET', path: '/attachments/:attachmentId/content' });
    expect(Object.keys(responses['200']!.content!)).toEqual(['application/octet-stream', '*/*']);
  });

  test('asks for a key or a browser session everywhere but where a URL is signed, or a browser signs in or a device logs in', () => {
    expect(document.security).toEqual([{ apiKey: [] }, { session: [] }]);
    const others: Record<string, object[]> = {
      signature: [],
      keyless: [],
      anyone: [{ apiKey: [] }, {}],
      admin: [{ apiKey: ['admin'] }, { session: ['admin'] }],
    };
    for (const { definition } of operations)
      expect(described(definition).security).toEqual(others[definition.access ?? 'member']);
  });
});
