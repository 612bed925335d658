import type { Identity, List, Operation } from '@assay/contracts/define';
import { Failure, invalid, notFound } from '@assay/contracts/failure';
import type { z } from 'zod';
import { issuesOf, jsonPointer, queryPlace } from './issues.ts';

/**
 * Lets only those in for whom the operation is.
 * @throws FORBIDDEN for a member key on an admin operation, and for anyone but a service on a service's.
 */
export function checkAccess({ access }: Operation | List, { role }: Identity): void {
  if (access === 'admin' && role !== 'admin') throw new Failure('FORBIDDEN', "Only an admin's key may do this.");
  if (access === 'service' && role !== 'service') throw new Failure('FORBIDDEN', 'Only another service may do this.');
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Is this the form of our ids? */
export const isId = (text: string): boolean => uuid.test(text);

/**
 * The path parameters, each of its form.
 * @throws NOT_FOUND for an id that is not of our form: nothing can have it.
 */
export function openParams(definition: Operation | List, params: Record<string, string>): Record<string, string> {
  for (const [name, value] of Object.entries(params)) {
    const schema = definition.params?.[name];
    if (schema) checkParam(schema, name, value);
    else if (!isId(value)) throw notFound(resourceOf(name), value);
  }
  return params;
}

function checkParam(schema: z.ZodType<string>, name: string, value: string): void {
  const result = schema.safeParse(value, { reportInput: true });
  if (!result.success) throw invalid(issuesOf(result.error, () => `:${name}`));
}

/** `systemVersionId` → `system version`. */
export const resourceOf = (parameter: string): string =>
  parameter
    .replace(/Id$/, '')
    .replaceAll(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`)
    .trim();

/** What zod found wrong with a body ('') or a query ('?'), as a failure. */
export const invalidFrom = (error: z.ZodError, place: '' | '?'): Failure =>
  invalid(issuesOf(error, place === '?' ? queryPlace : jsonPointer));
