import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import type { Answer } from './generated-request.ts';

export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  not?: { const: unknown };
  enum?: unknown[];
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  propertyNames?: JsonSchema;
  additionalProperties?: boolean | JsonSchema;
  items?: JsonSchema;
  minItems?: number;
  maxItems?: number;
  minLength?: number;
  maxLength?: number;
  pattern?: string;
  format?: string;
  minimum?: number;
  maximum?: number;
  exclusiveMinimum?: number;
  exclusiveMaximum?: number;
}

export interface DocumentedParameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required?: boolean;
  schema: JsonSchema;
}

type Content = Record<
  string,
  { schema: JsonSchema; example?: unknown; examples?: Record<string, { value: unknown }> }
>;

/** An operation as a client finds it in the document. */
export interface DocumentedOperation {
  id: string;
  method: string;
  /** With `{name}` parameters. */
  path: string;
  needsKey: boolean;
  /** Refuses the keys of mere members. */
  isForAdmins: boolean;
  parameters: DocumentedParameter[];
  requestBody: { required: boolean; content: Content } | undefined;
  responses: Record<string, { content?: Content }>;
}

export interface ApiDocument {
  operations: DocumentedOperation[];
  resolve(schema: JsonSchema): JsonSchema;
  /** Does the document take this value there? */
  isValid(schema: JsonSchema, value: unknown): boolean;
  /** Fails where an answer is not one that the document gives for the operation. */
  checkAnswer(operation: DocumentedOperation, answer: Answer): void;
}

interface ServedDocument {
  security: object[];
  paths: Record<
    string,
    Record<
      string,
      Omit<DocumentedOperation, 'id'> & {
        operationId: string;
        security?: Record<string, string[]>[];
      }
    >
  >;
  components: {
    schemas: Record<string, JsonSchema>;
    responses: DocumentedOperation['responses'];
  };
}

/** The OpenAPI document that a gateway serves. */
export async function readApiDocument(url: string): Promise<ApiDocument> {
  const document = (await (await fetch(`${url}/v2/openapi.json`)).json()) as ServedDocument;
  const ajv = new Ajv2020({ strict: false, allErrors: false });
  formats.default(ajv);
  // The parts that schemas refer to are compiled once for all of them.
  ajv.addSchema({ components: document.components }, 'document');
  // By their text: most are the same `$ref`.
  const compiled = new Map<string, ReturnType<typeof ajv.compile>>();
  const validatorOf = (schema: JsonSchema) => {
    const text = JSON.stringify(schema).replaceAll('"$ref":"#/', '"$ref":"document#/');
    const validate = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, validate);
    return validate;
  };

  const responseOf = (reference: string) =>
    document.components.responses[reference.split('/').at(-1)!]!;

  function checkBody(schema: JsonSchema, value: unknown): void {
    const validate = validatorOf(schema);
    if (!validate(value))
      throw new Error(
        `The body is not as documented: ${ajv.errorsText(validate.errors, { dataVar: '' })}`,
      );
  }

  return {
    operations: Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, { operationId, security, ...described }]) => ({
        ...described,
        id: operationId,
        method: method.toUpperCase(),
        path,
        parameters: described.parameters ?? [],
        // Failures stand once in the document, under their names.
        responses: Object.fromEntries(
          Object.entries(described.responses).map(([status, response]) => [
            status,
            '$ref' in response ? responseOf(response.$ref as string) : response,
          ]),
        ),
        needsKey: (security ?? document.security).length > 0,
        isForAdmins: (security ?? []).some(({ apiKey = [] }) => apiKey.includes('admin')),
      })),
    ),
    resolve: (schema) =>
      schema.$ref === undefined
        ? schema
        : document.components.schemas[schema.$ref.split('/').at(-1)!]!,
    isValid: (schema, value) => validatorOf(schema)(value) === true,
    checkAnswer(operation, answer) {
      const response = operation.responses[answer.status];
      if (!response) throw new Error(`The status ${answer.status} is not documented.`);
      if (!answer.headers.get('x-request-id')) throw new Error('There is no x-request-id.');
      if (!response.content) {
        if (answer.text !== '') throw new Error('A body is not documented.');
        return;
      }
      const type = answer.headers.get('content-type') ?? '';
      const media = response.content[type.split(';', 1)[0]!.trim()] ?? response.content['*/*'];
      if (!media)
        throw new Error(
          `The content type "${type}" is not documented for the status ${answer.status}.`,
        );
      checkBody(media.schema, isJson(type) ? JSON.parse(answer.text) : answer.text);
      if (type.startsWith('application/x-ndjson'))
        answer.text.split('\n').filter(Boolean).forEach(checkLine);
      if (answer.status >= 400)
        checkFailure(JSON.parse(answer.text), Object.keys(media.examples ?? {}));
    },
  };
}

const isJson = (type: string): boolean => type.startsWith('application/json');

/** An item of an export, or what became of one entry of an upload. */
function checkLine(line: string): void {
  const { index, status, ...rest } = JSON.parse(line);
  if (typeof index !== 'number' || !(status >= 400)) return;
  if (status >= 500) throw new Error(`An entry is answered ${status}.`);
  checkFailure(rest, [rest.code]);
}

/** One of the documented codes, a sentence, and nothing of the inside. */
function checkFailure(
  failure: { code: string; message: string; details: { issues?: object[] } },
  codes: string[],
): void {
  const text = JSON.stringify(failure);
  if (Object.keys(failure).join() !== 'code,message,details')
    throw new Error(`A failure has other members: ${text}`);
  if (!codes.includes(failure.code))
    throw new Error(`The code ${failure.code} is not documented for this status.`);
  if (!/^\S.*\.$/s.test(failure.message))
    throw new Error(`The message is no sentence: ${failure.message}`);
  if (/127\.0\.0\.1|mongo|\bnats\b|\bat .*\.[jt]s\b|node_modules/i.test(text))
    throw new Error(`The failure tells of the inside: ${text}`);
  if (failure.code === 'VALIDATION_ERROR' && !(failure.details.issues!.length > 0))
    throw new Error('The failure names no place.');
}
