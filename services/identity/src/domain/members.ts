import { conflict } from '@assay/contracts/failure';
import type { Member } from '@assay/contracts/identity';
import type { Store, StoredMember } from '../store.ts';

export const toMember = ({ userId, email, name, role, createdAt }: StoredMember): Member => ({
  userId,
  email,
  name,
  role,
  createdAt: createdAt.toISOString(),
});

/** @throws CONFLICT where the member is the organization's last admin. */
export async function keepAnAdmin(
  store: Pick<Store, 'countAdmins'>,
  organizationId: string,
  { role }: StoredMember,
): Promise<void> {
  if (role === 'admin' && (await store.countAdmins(organizationId)) === 1)
    throw conflict("This is the organization's last admin: make another member an admin first.");
}
