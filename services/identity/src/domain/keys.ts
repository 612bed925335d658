import type { ApiKey, Role } from '@assay/contracts/identity';
import { hashOf, newKey, prefixOf } from '@assay/runtime/api-key';
import type { StoredKey } from '../store.ts';

/** A key is an admin's only when it was made as one and its member still is one. */
export const effectiveRole = (keyRole: Role, memberRole: Role): Role =>
  keyRole === 'admin' && memberRole === 'admin' ? 'admin' : 'member';

/** Makes a key and what is kept of it. */
export function makeKey(parts: Omit<StoredKey, 'keyHash' | 'prefix' | 'lastUsedAt'>): { key: string; stored: StoredKey } {
  const key = newKey();
  return { key, stored: { ...parts, keyHash: hashOf(key), prefix: prefixOf(key), lastUsedAt: null } };
}

export const toApiKey = ({ id, name, prefix, role, createdByUserId, createdAt, expiresAt, lastUsedAt }: StoredKey): ApiKey => ({
  id,
  name,
  prefix,
  role,
  createdByUserId,
  createdAt: createdAt.toISOString(),
  expiresAt: expiresAt?.toISOString() ?? null,
  lastUsedAt: lastUsedAt?.toISOString() ?? null,
});
