import { invalidAt } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { KeyList } from '../keys.ts';
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

/** Half of a signature: a cursor names a place in a list that its client may read anyhow. */
const shortSignature = (key: string, list: string, after: string): string =>
  sign(key, 'cursor', `${list}\n${after}`).slice(0, 22);

/** Makes the opaque cursor of a page's last item; it is good for this list alone. */
export const sealCursor = ([key]: KeyList, list: string, after: string): string =>
  Buffer.from(`${after}.${shortSignature(key!, list, after)}`).toString('base64url');

/**
 * Reads a cursor that a client sent back.
 * @throws VALIDATION_ERROR at the cursor's place when this service did not make it for this list, these
 * filters and this organization.
 */
export function openCursor(keys: KeyList, list: string, cursor: string, place = '?cursor'): string {
  const text = Buffer.from(cursor, 'base64url').toString();
  const dot = text.lastIndexOf('.');
  const after = text.slice(0, dot);
  const signature = text.slice(dot + 1);
  if (dot < 0 || !keys.some((key) => shortSignature(key, list, after) === signature))
    throw invalidAt(place, 'must be a nextCursor of this same list');
  return after;
}

/** The wire form of a page, with what a search tells beside it. */
export const pageReply = <Item>(
  keys: KeyList,
  list: string,
  { items, next, ...progress }: Page<Item>,
) => ({
  data: items,
  nextCursor: next === null ? null : sealCursor(keys, list, next),
  hasMore: next !== null,
  ...progress,
});

/**
 * Makes the request to the store from the query of a list, or the body of a search; opens the
 * cursor at this place.
 */
export const pageRequest = (
  keys: KeyList,
  list: string,
  { limit, cursor }: { limit: number; cursor?: string | null | undefined },
  place: '?cursor' | '/cursor' = '?cursor',
): PageRequest => ({
  limit,
  after: cursor == null ? undefined : openCursor(keys, list, cursor, place),
});
