import { invalidAt } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import { sign } from '../signature.ts';

/**
 * Returns the key of the list that a cursor belongs to: the list, its filters and the organization,
 * as one text.
 */
export const listKey = (parts: {
  operation: string;
  organizationId: string;
  params: object;
  filters: object;
}): string => JSON.stringify(parts);

/** Makes the opaque cursor of a page's last item; it is good for this list alone. */
export function sealCursor(secret: string, list: string, after: string): string {
  return Buffer.from(
    `${after}.${sign(secret, 'cursor', `${list}\n${after}`).slice(0, 22)}`,
  ).toString('base64url');
}

/**
 * Reads a cursor that a client sent back.
 * @throws VALIDATION_ERROR at `?cursor` when this service did not make it for this list, these
 * filters and this organization.
 */
export function openCursor(secret: string, list: string, cursor: string): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const dot = text.lastIndexOf('.');
  const after = text.slice(0, dot);
  const expected = sign(secret, 'cursor', `${list}\n${after}`).slice(0, 22);
  if (dot < 0 || expected !== text.slice(dot + 1))
    throw invalidAt('?cursor', 'must be a nextCursor of this same list');
  return after;
}

/** The wire form of a page. */
export const pageReply = <Item>(secret: string, list: string, { items, next }: Page<Item>) => ({
  data: items,
  nextCursor: next === null ? null : sealCursor(secret, list, next),
  hasMore: next !== null,
});

/** Makes the request to the store from a list's query, whose cursor it opens. */
export const pageRequest = (
  secret: string,
  list: string,
  query: { limit: number; cursor?: string | undefined },
): PageRequest => ({
  limit: query.limit,
  after: query.cursor === undefined ? undefined : openCursor(secret, list, query.cursor),
});
