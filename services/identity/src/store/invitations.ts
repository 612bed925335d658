import type { Role } from '@assay/contracts/identity';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';
import { findPage } from '@assay/runtime/mongo/page';
import type { LinkMaker } from './login-tokens.ts';

/** An invitation as it is kept: never its token. */
export interface StoredInvitation {
  /** Also the user id of the member who accepts it. */
  id: string;
  tokenHash: string;
  email: string;
  name: string | null;
  role: Role;
  madeBy: LinkMaker;
  createdAt: Date;
  expiresAt: Date;
}

type InvitationDocument = Omit<StoredInvitation, 'id'> & {
  _id: string;
  organizationId: string;
  emailLower: string;
};

/** The open invitations. MongoDB removes one when it has expired, within about a minute. */
export function createInvitationStore(database: Database) {
  const invitations = database.collection<InvitationDocument>('invitations');
  return {
    /** False when the e-mail address is invited. */
    async createInvitation(
      organizationId: string,
      { id, ...invitation }: StoredInvitation,
    ): Promise<boolean> {
      const emailLower = invitation.email.toLowerCase();
      await invitations.deleteOne({
        organizationId,
        emailLower,
        expiresAt: { $lte: invitation.createdAt },
      });
      try {
        await invitations.insertOne({ _id: id, organizationId, ...invitation, emailLower });
        return true;
      } catch (error) {
        if (isDuplicateKey(error)) return false;
        throw error;
      }
    },
    countInvitations: (organizationId: string, now: Date): Promise<number> =>
      invitations.countDocuments({ organizationId, expiresAt: { $gt: now } }),
    listInvitations(
      organizationId: string,
      page: PageRequest,
      now: Date,
    ): Promise<Page<StoredInvitation>> {
      return findPage(invitations, {
        filter: { organizationId, expiresAt: { $gt: now } },
        page,
        toItem: toStored,
      });
    },
    /** By an e-mail address of whatever case. */
    async findInvitationTo(
      organizationId: string,
      email: string,
    ): Promise<StoredInvitation | undefined> {
      const found = await invitations.findOne({ organizationId, emailLower: email.toLowerCase() });
      return found ? toStored(found) : undefined;
    },
    /** Undefined when there is none. */
    async renewInvitation(
      organizationId: string,
      id: string,
      link: Pick<StoredInvitation, 'tokenHash' | 'madeBy' | 'expiresAt'>,
    ): Promise<StoredInvitation | undefined> {
      const renewed = await invitations.findOneAndUpdate(
        { _id: id, organizationId },
        { $set: link },
        { returnDocument: 'after' },
      );
      return renewed ? toStored(renewed) : undefined;
    },
    /** False when there is none. */
    async deleteInvitation(organizationId: string, id: string): Promise<boolean> {
      const { deletedCount } = await invitations.deleteOne({ _id: id, organizationId });
      return deletedCount === 1;
    },
    async deleteInvitationTo(organizationId: string, email: string): Promise<void> {
      await invitations.deleteOne({ organizationId, emailLower: email.toLowerCase() });
    },
    /** Across organizations: a token says to which it belongs. Undefined if it is spent or over. */
    async spendInvitation(
      tokenHash: string,
      now: Date,
    ): Promise<(StoredInvitation & { organizationId: string }) | undefined> {
      const spent = await invitations.findOneAndDelete({ tokenHash, expiresAt: { $gt: now } });
      return spent ? { ...toStored(spent), organizationId: spent.organizationId } : undefined;
    },
  };
}

const toStored = ({
  _id,
  tokenHash,
  email,
  name,
  role,
  madeBy,
  createdAt,
  expiresAt,
}: InvitationDocument): StoredInvitation => ({
  id: _id,
  tokenHash,
  email,
  name,
  role,
  madeBy,
  createdAt,
  expiresAt,
});
