import { invalidAt } from '@assay/contracts/failure';
import type { ApiKey, Role } from '@assay/contracts/identity';
import type { StoredKey } from '../store.ts';

/** A key is an admin's only when it was made as one and its member still is one. */
export const effectiveRole = (keyRole: Role, memberRole: Role): Role =>
  keyRole === 'admin' && memberRole === 'admin' ? 'admin' : 'member';

export const isOver = (expiresAt: Date | null, now: Date): boolean =>
  expiresAt !== null && expiresAt <= now;

export const toApiKey = ({
  id,
  name,
  prefix,
  role,
  createdByUserId,
  createdAt,
  expiresAt,
  lastUsedAt,
}: StoredKey): ApiKey => ({
  id,
  name,
  prefix,
  role,
  createdByUserId,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt?.toISOString() ?? null,
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});

/** The form of our timestamps has four digits for the year. */
const expiryMax = new Date('9999-12-31T23:59:59.999Z');

/**
 * The instant at which a key made now ends, or null for never.
 * @throws VALIDATION_ERROR at /expiresAt if the instant has passed.
 */
export function openExpiry(text: string | null, now: Date): Date | null {
  if (text === null) return null;
  const expiresAt = new Date(text);
  if (isOver(expiresAt, now)) throw invalidAt('/expiresAt', 'must be in the future');
  if (expiresAt > expiryMax) throw invalidAt('/expiresAt', 'must be before the year 10000');
  return expiresAt;
}
