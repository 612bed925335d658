import {
  type Access,
  bodyBytesDefault,
  isDocumented,
  isReadOnly,
  type List,
  type Operation,
  queryOf,
  type Service,
} from '@assay/contracts/define';
import type { FailureCode } from '@assay/contracts/failure';
import { version } from '@assay/contracts/version';
import { z } from 'zod';
import {
  createDocument,
  type oas31,
  type ZodOpenApiObject,
  type ZodOpenApiOperationObject,
  type ZodOpenApiOverrideContext,
  type ZodOpenApiParameters,
  type ZodOpenApiPathsObject,
} from 'zod-openapi';
import { createExamples, type Examples } from './openapi/examples.ts';
import { createFailureReplies, failureComponents } from './openapi/failures.ts';
import { createShapes, flattenUnions, type Shapes } from './openapi/shapes.ts';
import { documentTags, tagOf } from './openapi/tags.ts';

/** What the operations of one document are described with. */
interface Vocabulary {
  examples: Examples;
  shapes: Shapes;
  failureReplies: ReturnType<typeof createFailureReplies>;
}

/**
 * The API document (OpenAPI 3.1), made from the contracts: every operation that clients may call,
 * with its failures and examples. Clients reach the base path below `publicPath`.
 */
export function createOpenApi(contracts: readonly Service[], publicPath = ''): oas31.OpenAPIObject {
  const vocabulary = {
    examples: createExamples(contracts),
    shapes: createShapes(contracts),
    failureReplies: createFailureReplies(),
  };
  const services = contracts.filter(({ operations }) =>
    Object.values(operations).some(isDocumented),
  );
  const document: ZodOpenApiObject = {
    openapi: '3.1.0',
    info: {
      title: 'Assay',
      version,
      description:
        'Evaluates AI systems: projects, testsets, versioned systems, runs with their records, metrics and scores. ' +
        'The interface is version 2, at `/v2`; the version of this document is that of Assay. ' +
        'Every failure is `{ code, message, details }`. Every reply carries `x-request-id`. The same operations answer under `/api/v2`. ' +
        'A boolean of a query may be `1` or `0`, too.',
    },
    servers: [{ url: `${publicPath}/v2` }],
    security: [{ apiKey: [] }, { session: [] }],
    tags: documentTags,
    paths: pathsOf(services, vocabulary),
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'bearer',
          description: 'An API key: it starts with `ak_`.',
        },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-assay-443',
          description:
            'The session of a browser that signed in by `POST /session`, for pages of this origin alone. Each request needs the header `x-assay-console` with the value that the sign-in gave in a header of this name. The name of the cookie ends with the port; by plain http it is `assay-80`, below a path `__Secure-assay-443`.',
        },
      },
      ...failureComponents,
    },
  };
  return flattenUnions(createDocument(document, { override: refine }));
}

/**
 * Corrects the JSON schema that was generated from a zod schema. An `override` replaces it instead
 * of extending it. Replies may gain fields in a later release, so they allow additional properties.
 * A format makes its pattern redundant.
 */
function refine({ jsonSchema, zodSchema }: ZodOpenApiOverrideContext): void {
  const own = z.globalRegistry.get(zodSchema as unknown as z.ZodType)?.override;
  if (own) {
    for (const key of Object.keys(jsonSchema))
      if (!keptKeys.has(key)) delete (jsonSchema as Record<string, unknown>)[key];
    Object.assign(jsonSchema, own);
  }
  if (!own && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties;
  if (jsonSchema.format !== undefined) delete jsonSchema.pattern;
  // Java has no enum of booleans: a generator writes text in its place.
  if (typeof jsonSchema.const === 'boolean') delete jsonSchema.const;
}

const keptKeys = new Set(['description', 'examples', 'default']);

function pathsOf(services: readonly Service[], vocabulary: Vocabulary): ZodOpenApiPathsObject {
  const paths: Record<string, Record<string, ZodOpenApiOperationObject>> = {};
  for (const service of services) {
    for (const [name, definition] of Object.entries(service.operations)) {
      if (!isDocumented(definition)) continue;
      const path = definition.path.replaceAll(/:(\w+)/g, '{$1}');
      paths[path] = {
        ...paths[path],
        [definition.method.toLowerCase()]: describe(name, definition, vocabulary),
      };
    }
  }
  return paths;
}

function describe(
  name: string,
  definition: Operation | List,
  vocabulary: Vocabulary,
): ZodOpenApiOperationObject {
  const body = requestBody(definition, vocabulary);
  return {
    operationId: name,
    summary: definition.summary,
    ...descriptionOf(definition),
    tags: [tagOf(definition.path)],
    ...securityOf(definition),
    requestParams: parametersOf(definition, vocabulary),
    ...(body ? { requestBody: body } : {}),
    responses: {
      ...replies(definition, vocabulary),
      ...vocabulary.failureReplies(failureCodes(definition)),
    },
  };
}

function descriptionOf({ access, description }: Operation): { description?: string } {
  const sentences = [description, access === 'admin' ? "Needs an admin's key." : undefined];
  const text = sentences.filter((sentence) => sentence !== undefined).join(' ');
  return text === '' ? {} : { description: text };
}

const isWithoutKey = (access: Access | undefined): boolean =>
  access === 'signature' || access === 'keyless';

function securityOf({ access }: Operation): Pick<ZodOpenApiOperationObject, 'security'> {
  if (isWithoutKey(access)) return { security: [] };
  // The role that is needed, as OpenAPI 3.1 has it.
  if (access === 'admin') return { security: [{ apiKey: ['admin'] }, { session: ['admin'] }] };
  return access === 'anyone' ? { security: [{ apiKey: [] }, {}] } : {};
}

const idempotencyKey = z.string().min(1).max(255).optional().meta({
  description:
    'A repeat within 24 hours with the same body gives the first answer again; with another body 409.',
});

function parametersOf(
  definition: Operation | List,
  { examples }: Vocabulary,
): ZodOpenApiParameters {
  const withExamples = (parameters: z.ZodObject | undefined) =>
    parameters &&
    z.object(
      Object.fromEntries(
        Object.entries(parameters.shape).map(([name, schema]) => {
          const example = examples.parameter(definition, name);
          return [name, example === undefined ? schema : describedBy(schema as z.ZodType, example)];
        }),
      ),
    );
  const query = withExamples(queryOf(definition));
  const path = withExamples(pathParameters(definition));
  return {
    ...(path ? { path } : {}),
    ...(query ? { query } : {}),
    ...(definition.method === 'POST' && !isReadOnly(definition)
      ? { header: z.object({ 'Idempotency-Key': idempotencyKey }) }
      : {}),
  };
}

const describedBy = (schema: z.ZodType, example: string): z.ZodType =>
  schema.meta({ ...schema.meta(), param: { example } });

function pathParameters({ path, params }: Operation): z.ZodObject | undefined {
  const names = [...path.matchAll(/:(\w+)/g)].map(([, name]) => name!);
  if (names.length === 0) return undefined;
  return z.object(
    Object.fromEntries(names.map((name) => [name, params?.[name] ?? idParameter(name)])),
  );
}

/** A parameter that is called `pairwiseComparisonId` is the id of the pairwise comparison. */
function idParameter(name: string): z.ZodType {
  const words = name
    .replace(/Id$/, '')
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
  return name.endsWith('Id')
    ? z.string().meta({ description: `The id of the ${words}.` })
    : z.string();
}

function requestBody(
  definition: Operation,
  { examples, shapes }: Vocabulary,
): ZodOpenApiOperationObject['requestBody'] {
  const { body, streams, bodyBytesMax } = definition;
  const limitBytes = bodyBytesMax ?? (streams ? undefined : bodyBytesDefault);
  const limit = {
    description:
      limitBytes === undefined
        ? 'Streamed, of any length.'
        : `At most ${limitBytes.toLocaleString('en')} bytes, decoded.`,
    ...(limitBytes === undefined ? {} : { 'x-body-bytes-max': limitBytes }),
  };
  if (streams)
    return {
      required: true,
      ...limit,
      content: streamed(streams, examples.streamedBody(definition)),
    };
  if (!body) return undefined;
  const content = {
    'application/json': { schema: shapes.body(definition), ...examples.bodies(definition) },
  };
  return { required: !body.safeParse(undefined).success, ...limit, content };
}

/**
 * A stream's schema says only that it is bytes, lines of text, or an array: its items are the
 * operation's example.
 */
const streamed = (types: readonly string[], example: (type: string) => unknown) =>
  Object.fromEntries(
    types.map((type) => [
      type === '*' ? '*/*' : type,
      { schema: type === 'application/json' ? arrayOfObjects : textSchema, example: example(type) },
    ]),
  );

const textSchema = { type: 'string' as const };
const arrayOfObjects = {
  type: 'array' as const,
  items: { type: 'object' as const, additionalProperties: true },
};

/** A payload as it was sent, and a part of it, which need not be JSON by itself. */
const wholeBytes = {
  'application/json': {
    schema: { type: 'object' as const, additionalProperties: true },
    example: { question: 'Where is my parcel?' },
  },
};
const someBytes = { 'application/json': { schema: textSchema, example: '"Where is my p' } };

const requestIdHeader = {
  'x-request-id': { schema: { type: 'string' as const }, description: "The request's id." },
};

function replies(
  definition: Operation | List,
  { examples, shapes }: Vocabulary,
): ZodOpenApiOperationObject['responses'] {
  const { status, statusWhenThere, replyStreams, reply } = definition;
  if (definition.sessionCookie)
    return {
      [String(status)]: {
        description:
          'Done; the cookie of the browser session is set or ended. A session that begins has a second secret in `x-assay-console`, which every request with its cookie sends.',
        headers: {
          ...requestIdHeader,
          'Set-Cookie': { schema: { type: 'string' as const } },
          'x-assay-console': { schema: { type: 'string' as const } },
        },
      },
    } as ZodOpenApiOperationObject['responses'];
  // An operation that was removed has no reply but its failure.
  if (!reply && !replyStreams) return {};
  const content = replyStreams
    ? streamed(replyStreams, examples.streamedReply(definition))
    : {
        'application/json': {
          schema: shapes.reply(definition),
          example: examples.reply(definition),
        },
      };
  const answer = (description: string) => ({ description, headers: requestIdHeader, content });
  if (definition.servesRanges)
    return {
      '200': { ...answer('The bytes, with an `ETag`.'), content: wholeBytes },
      '206': { ...answer('The part that `Range` names: one range of bytes.'), content: someBytes },
      '304': { description: '`If-None-Match` names these bytes.', headers: requestIdHeader },
    } as ZodOpenApiOperationObject['responses'];
  return {
    [String(status)]: answer(status === 201 ? 'Created.' : status === 202 ? 'Accepted.' : 'Done.'),
    ...(statusWhenThere ? { [String(statusWhenThere)]: answer('It was there already.') } : {}),
  } as ZodOpenApiOperationObject['responses'];
}

/** The failures that an operation may give: its own, and those that follow from its definition. */
function failureCodes(definition: Operation | List): FailureCode[] {
  const { access, path, method, params, body, failures = [] } = definition;
  const codes: FailureCode[] = [
    'RATE_LIMITED',
    'INTERNAL_ERROR',
    'SERVICE_UNAVAILABLE',
    ...failures,
  ];
  if (!isWithoutKey(access)) codes.push('UNAUTHORIZED');
  // A suspended organization's requests are refused, and those that other sites make with a cookie.
  if (access === 'admin' || !isWithoutKey(access)) codes.push('FORBIDDEN');
  if (path.includes(':')) codes.push('NOT_FOUND');
  if (queryOf(definition) || body || params || method === 'POST') codes.push('VALIDATION_ERROR');
  if (method === 'POST') codes.push('CONFLICT');
  if (definition.servesRanges) codes.push('RANGE_NOT_SATISFIABLE');
  // By its coding, size and type, a body is refused where none is asked for, too.
  if (method !== 'GET') codes.push('MALFORMED_JSON', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  return [...new Set(codes)];
}
