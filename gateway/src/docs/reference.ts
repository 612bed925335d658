import type { Service } from '@assay/contracts/define';
import type { oas31 } from 'zod-openapi';

export type Schema = oas31.SchemaObject & { $ref?: string };

/** A body that a client may send, as the document shows it. */
export interface ExampleBody {
  /** What it shows, or the name of its shape; an empty text for the only one. */
  title: string;
  contentType: string;
  value: unknown;
}

export interface Parameter {
  name: string;
  place: 'path' | 'query' | 'header';
  isRequired: boolean;
  schema: Schema;
  description: string;
  example: string | undefined;
}

export interface Reply {
  status: string;
  description: string;
  /** By content type. */
  content: Record<string, { schema: Schema; example: unknown }>;
}

interface FailureReply {
  status: string;
  code: string;
  message: string;
}

/** One operation of the API document, ready to be shown. */
export interface ReferenceOperation {
  id: string;
  method: string;
  /** Below the base path, with its parameters in braces. */
  path: string;
  summary: string;
  description: string;
  needsKey: boolean;
  parameters: Parameter[];
  body: { description: string; isRequired: boolean; contents: Record<string, Schema> } | undefined;
  bodies: ExampleBody[];
  replies: Reply[];
  failures: FailureReply[];
}

interface ReferenceTag {
  /** In the address of its page. */
  name: string;
  title: string;
  description: string;
  operations: ReferenceOperation[];
}

/** The API document in the order of use. */
export interface Reference {
  tags: ReferenceTag[];
  shapes: ReadonlyMap<string, Schema>;
  /** Finds the shape that a schema refers to; the schema itself where it refers to none. */
  resolve(schema: Schema): Schema;
  /** Finds what a code such as `POST /v2/runs` names, as a path within the documentation. */
  find(code: string): string | undefined;
}

/**
 * Reads the API document for its pages. The document has operations by their paths; on the pages
 * they stand in the order of the contracts, which is that of use.
 */
export function createReference(
  document: oas31.OpenAPIObject,
  contracts: readonly Service[],
): Reference {
  const names = contracts.flatMap(({ operations }) => Object.keys(operations));
  const shapes = new Map(
    Object.entries((document.components?.schemas ?? {}) as Record<string, Schema>),
  );
  const referTo = <Value>(value: Value & { $ref?: string }): Value =>
    value.$ref === undefined ? value : (valueAt(document, value.$ref) as Value);
  const operations = Object.entries(document.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods as Record<string, oas31.OperationObject>).map(([method, operation]) => ({
      tag: operation.tags![0]!,
      operation: readOperation({ path, method: method.toUpperCase(), operation, referTo }),
    })),
  );
  const tags = (document.tags ?? []).map(({ name, description = '' }) => ({
    name: name.toLowerCase(),
    title: name,
    description,
    operations: operations
      .filter(({ tag }) => tag === name)
      .map(({ operation }) => operation)
      .toSorted((a, b) => names.indexOf(a.id) - names.indexOf(b.id)),
  }));
  const byForm = new Map(
    tags.flatMap((tag) =>
      tag.operations.map(
        ({ method, path, id }) => [`${method} ${formOf(path)}`, `api/${tag.name}#${id}`] as const,
      ),
    ),
  );
  return {
    tags,
    shapes,
    resolve: referTo,
    find: (code) => {
      const [, method, path] =
        /^(GET|POST|PUT|PATCH|DELETE) (?:\/api)?(?:\/v2)?(\/[^\s?]*)/.exec(code) ?? [];
      return path === undefined ? undefined : byForm.get(`${method} ${formOf(path)}`);
    },
  };
}

/** A path without the names of its parameters. */
const formOf = (path: string): string => path.replaceAll(/\{[^/]*\}|:[^/]+|…|\$\w+/g, '*');

const valueAt = (document: unknown, reference: string): unknown =>
  reference
    .slice('#/'.length)
    .split('/')
    .reduce((value, key) => (value as Record<string, unknown>)[key], document);

interface Source {
  path: string;
  method: string;
  operation: oas31.OperationObject;
  referTo: <Value>(value: Value & { $ref?: string }) => Value;
}

function readOperation({ path, method, operation, referTo }: Source): ReferenceOperation {
  const {
    operationId,
    summary = '',
    description = '',
    security,
    requestBody,
    responses,
  } = operation;
  const body = requestBody && referTo(requestBody as oas31.RequestBodyObject);
  const replies = Object.entries(responses ?? {}).map(
    ([status, response]) => [status, referTo(response as oas31.ResponseObject)] as const,
  );
  return {
    id: operationId!,
    method,
    path,
    summary,
    description,
    needsKey: security === undefined || security.some((way) => 'apiKey' in way),
    parameters: (operation.parameters ?? []).map((given) => {
      const parameter = referTo(given as oas31.ParameterObject);
      return {
        name: parameter.name,
        place: parameter.in as Parameter['place'],
        isRequired: parameter.required === true,
        schema: parameter.schema as Schema,
        description: parameter.description ?? (parameter.schema as Schema).description ?? '',
        example: parameter.example as string | undefined,
      };
    }),
    body: body && {
      description: body.description ?? '',
      isRequired: body.required === true,
      contents: Object.fromEntries(
        Object.entries(body.content).map(([type, { schema }]) => [type, schema as Schema]),
      ),
    },
    bodies: body ? examplesOf(body) : [],
    replies: replies
      .filter(([status]) => Number(status) < 400)
      .toSorted(([a], [b]) => Number(b === '201') - Number(a === '201'))
      .map(([status, { description, content = {} }]) => ({
        status,
        description,
        content: Object.fromEntries(
          Object.entries(content).map(([type, { schema, example }]) => [
            type,
            { schema: schema as Schema, example },
          ]),
        ),
      })),
    failures: replies
      .filter(([status]) => Number(status) >= 400)
      .flatMap(([status, { content }]) =>
        Object.entries(content?.['application/json']?.examples ?? {}).map(([code, example]) => {
          const { message } = (example as { value: { message: string } }).value;
          return { status, code, message };
        }),
      ),
  };
}

function examplesOf({ content }: oas31.RequestBodyObject): ExampleBody[] {
  const types = Object.entries(content);
  return types.flatMap(([contentType, { example, examples }]) =>
    examples
      ? Object.entries(examples as Record<string, { summary?: string; value: unknown }>).map(
          ([name, { summary, value }]) => ({ title: summary ?? name, contentType, value }),
        )
      : [{ title: types.length > 1 ? contentType : '', contentType, value: example }],
  );
}
