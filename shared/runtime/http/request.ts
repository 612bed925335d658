import type { Access, Identity, List, Operation, Question } from '@assay/contracts/define';
import { Failure, invalid, notFound } from '@assay/contracts/failure';
import { pointerTo } from '@assay/json/pointer';
import type { z } from 'zod';
import { issuesOf, queryPlace } from './issues.ts';

/**
 * In a request that the gateway sends while several organizations use the installation, and in the
 * calls that services make for it: a service sees only those that use it.
 */
export const besideOthersHeader = 'x-assay-beside-others';

type Role = Identity['role'];

/** The roles that each kind of operation is open to, and the sentence for the others. */
const admitted: Record<Access, { roles: Role[]; refusal: string }> = {
  member: { roles: ['member', 'admin'], refusal: 'This needs an API key of the organization.' },
  admin: { roles: ['admin'], refusal: "Only an admin's key may do this." },
  anyone: {
    roles: ['member', 'admin', 'anonymous'],
    refusal: 'This needs an API key of the organization, or a one-time token.',
  },
  keyless: { roles: ['anonymous'], refusal: 'This is asked without an API key.' },
  signature: { roles: ['anonymous'], refusal: 'This needs a signed URL.' },
  service: { roles: ['service'], refusal: 'Only another service may do this.' },
};

/**
 * Lets only those in for whom the operation is.
 * @throws FORBIDDEN for any other role.
 */
export function checkAccess({ access = 'member' }: Operation | List, { role }: Identity): void {
  const { roles, refusal } = admitted[access];
  if (!roles.includes(role)) throw new Failure('FORBIDDEN', refusal);
}

/**
 * Lets only those ask for whom the question is.
 * @throws FORBIDDEN for anyone but the operator on the operator's questions, and for the operator
 * and holders of signed URLs on all others.
 */
export function checkAsker({ access }: Question, { role }: Identity): void {
  if (access === 'operator' && role !== 'operator')
    throw new Failure('FORBIDDEN', 'Only the operator of this installation may do this.');
  if (access === undefined && (role === 'operator' || role === 'anonymous'))
    throw new Failure('FORBIDDEN', 'Only a service may ask this.');
}

/**
 * @param sender the process whose key signed; undefined for the one secret, which tells no processes
 * apart.
 * @throws FORBIDDEN for a process that may not ask for this.
 */
export function checkSender(
  sender: string | undefined,
  isPermitted: (sender: string) => boolean,
  asked: string,
): void {
  if (sender !== undefined && !isPermitted(sender))
    throw new Failure('FORBIDDEN', `The process ${sender} may not ask for ${asked}.`);
}

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Is this the form of our ids? */
export const isId = (text: string): boolean => uuid.test(text);

/**
 * The path parameters, each of its form.
 * @throws NOT_FOUND for an id that is not of our form: nothing can have it.
 */
export function openParams(
  definition: Operation | List,
  params: Record<string, string>,
): Record<string, string> {
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

/** Converts zod's error about a body ('') or a query ('?') into a failure. */
export const invalidFrom = (error: z.ZodError, place: '' | '?'): Failure =>
  invalid(issuesOf(error, place === '?' ? queryPlace : pointerTo));
