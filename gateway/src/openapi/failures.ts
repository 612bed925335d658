import { exampleIds } from '@assay/contracts/examples';
import { type FailureCode, statusOfFailure } from '@assay/contracts/failure';
import { z } from 'zod';
import type { ZodOpenApiOperationObject, ZodOpenApiResponseObject } from 'zod-openapi';

const failure = z
  .object({
    code: z
      .enum(Object.keys(statusOfFailure) as [FailureCode, ...FailureCode[]])
      .meta({ description: 'Which failure it is, for programs.' }),
    message: z.string().meta({ description: 'A sentence for a person.' }),
    details: z
      .record(z.string(), z.unknown())
      .meta({ description: '`{}` when there is nothing to add.' }),
  })
  .meta({ id: 'Failure', description: 'What every failure looks like.' });

/** One example of each failure, as clients see it. */
const exampleOf: Record<FailureCode, { message: string; details?: Record<string, unknown> }> = {
  VALIDATION_ERROR: {
    message: '/name is required.',
    details: { issues: [{ path: '/name', message: 'is required' }] },
  },
  MALFORMED_JSON: { message: 'The body is not valid JSON.' },
  AUTHORIZATION_PENDING: { message: 'Nobody has approved this login yet: ask again.' },
  SLOW_DOWN: { message: 'This was asked too soon: wait 5 seconds longer from now on.' },
  ACCESS_DENIED: {
    message: 'The login was denied, or whoever approved it may not do so any more.',
  },
  EXPIRED_TOKEN: {
    message:
      'This login is finished, has expired or never was one: begin another. Each is approved within 10 minutes, and gives one key.',
  },
  UNAUTHORIZED: { message: 'The API key is invalid.' },
  FORBIDDEN: { message: "This operation needs an admin's API key." },
  NOT_FOUND: {
    message: 'There is no project with this id.',
    details: { resource: 'project', id: exampleIds.project },
  },
  METHOD_NOT_ALLOWED: { message: 'This path answers GET, POST.' },
  CONFLICT: { message: 'This Idempotency-Key was used with another body.' },
  GONE: { message: 'This operation was removed.' },
  PAYLOAD_TOO_LARGE: {
    message: 'The body is larger than 1048576 bytes.',
    details: { limitBytes: 1_048_576 },
  },
  UNSUPPORTED_MEDIA_TYPE: { message: 'A body of type "text/plain" is not taken here.' },
  RANGE_NOT_SATISFIABLE: {
    message: 'There are 182 bytes: the range begins after them.',
    details: { byteLength: 182 },
  },
  RATE_LIMITED: {
    message:
      'The organization sent more than 1200000 requests in a minute. Send fewer, or ask your operator for more.',
  },
  INTERNAL_ERROR: {
    message: 'Something went wrong on our side.',
    details: { requestId: exampleIds.run },
  },
  SERVICE_UNAVAILABLE: { message: 'A part of the service does not answer at the moment.' },
};

const retryCodes = new Set<FailureCode>(['RATE_LIMITED', 'SERVICE_UNAVAILABLE']);
const retryAfter = {
  'Retry-After': {
    schema: { type: 'integer' as const },
    description: 'Seconds after which a repeat may succeed.',
  },
};

/** The schema of failures, so that it is in the document by its name. */
export const failureComponents = { schemas: { Failure: failure } };

/**
 * Makes the replies of failures, one a status, with an example of each code. Equal ones stand once
 * in the document, under the name of their codes.
 */
export function createFailureReplies() {
  const made = new Map<string, ZodOpenApiResponseObject>();
  return (codes: FailureCode[]): ZodOpenApiOperationObject['responses'] => {
    const statuses = [...new Set(codes.map((code) => statusOfFailure[code]))].sort();
    return Object.fromEntries(
      statuses.map((status) => {
        const own = codes.filter((code) => statusOfFailure[code] === status).sort();
        const id = own.map(titled).join('Or');
        const reply = made.get(id) ?? replyOf(own, id);
        made.set(id, reply);
        return [String(status), reply];
      }),
    ) as ZodOpenApiOperationObject['responses'];
  };
}

function replyOf(codes: FailureCode[], id: string): ZodOpenApiResponseObject {
  const examples = Object.fromEntries(
    codes.map((code) => [code, { value: { code, details: {}, ...exampleOf[code] } }]),
  );
  return {
    id,
    description: codes.map((code) => `\`${code}\``).join(' or '),
    ...(codes.some((code) => retryCodes.has(code)) ? { headers: retryAfter } : {}),
    content: { 'application/json': { schema: failure, examples } },
  };
}

/** `NotFound` for `NOT_FOUND`. */
const titled = (code: FailureCode): string =>
  code.toLowerCase().replaceAll(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase());
