import type { Identity } from '@assay/contracts/define';
import { conflict, Failure } from '@assay/contracts/failure';
import type { Member } from '@assay/contracts/identity';
import type { Store, StoredMember } from '../store.ts';

export const toMember = ({
  userId,
  email,
  name,
  role,
  createdAt,
  lastSeenAt,
}: StoredMember): Member => ({
  userId,
  email,
  name,
  role,
  createdAt: createdAt.toISOString(),
  lastSeenAt: lastSeenAt?.toISOString() ?? null,
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

/** The key acts as this member, who may have been demoted or removed since the gateway asked. */
export async function checkIsAdmin(
  store: Pick<Store, 'findMember'>,
  { organizationId, userId }: Identity,
): Promise<void> {
  const member = await store.findMember(organizationId, userId);
  if (member?.role !== 'admin') throw new Failure('FORBIDDEN', "Only an admin's key may do this.");
}
