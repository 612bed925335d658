import type { Member } from '@assay/contracts/identity';
import type { StoredMember } from '../store.ts';

export const toMember = ({ userId, email, name, role, createdAt }: StoredMember): Member => ({
  userId,
  email,
  name,
  role,
  createdAt: createdAt.toISOString(),
});
