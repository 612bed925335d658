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
 * @throws VALIDATION_ERROR at the cursor's place when this service did not make it for this list, these
 * filters and this organization.
 */
export function openCursor(
  secret: string,
  list: string,
  cursor: string,
  place = '?cursor',
): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const dot = text.lastIndexOf('.');
  const after = text.slice(0, dot);
  const expected = sign(secret, 'cursor', `${list}\n${after}`).slice(0, 22);
  if (dot < 0 || expected !== text.slice(dot + 1))
    throw invalidAt(place, 'must be a nextCursor of this same list');
  return after;
}

/** The wire form of a page, with what a search tells beside it. */
export const pageReply = <Item>(
  secret: string,
  list: string,
  { items, next, ...progress }: Page<Item>,
) => ({
  data: items,
  nextCursor: next === null ? null : sealCursor(secret, list, next),
  hasMore: next !== null,
  ...progress,
});

/**
 * Makes the request to the store from the query of a list, or the body of a search; opens the
 * cursor at this place.
 */
export const pageRequest = (
  secret: string,
  list: string,
  { limit, cursor }: { limit: number; cursor?: string | null | undefined },
  place: '?cursor' | '/cursor' = '?cursor',
): PageRequest => ({
  limit,
  after: cursor == null ? undefined : openCursor(secret, list, cursor, place),
});
