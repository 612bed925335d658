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
