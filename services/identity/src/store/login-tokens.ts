import type { Database } from '@assay/runtime/mongo/database';

/** Who made a link: it ends with that member's role, and with the key that was used for it. */
export interface LinkMaker {
  userId: string;
  apiKeyId: string | null;
}

/** A token that signs a member in once. */
export interface LoginToken {
  tokenHash: string;
  userId: string;
  expiresAt: Date;
  /** Left out where the operator made it. */
  madeBy?: LinkMaker;
}

type LoginTokenDocument = Omit<LoginToken, 'tokenHash'> & { _id: string; organizationId: string };

/** The tokens of links by which members sign in. */
export function createLoginTokens(database: Database) {
  const tokens = database.collection<LoginTokenDocument>('loginTokens');
  return {
    async createLoginToken(
      organizationId: string,
      { tokenHash, ...token }: LoginToken,
    ): Promise<void> {
      await tokens.insertOne({ _id: tokenHash, organizationId, ...token });
    },
    /** Across organizations: a token says to which it belongs. Undefined if it is spent or over. */
    async spendLoginToken(
      tokenHash: string,
      now: Date,
    ): Promise<{ organizationId: string; userId: string } | undefined> {
      const spent = await tokens.findOneAndDelete({ _id: tokenHash, expiresAt: { $gt: now } });
      return spent ? { organizationId: spent.organizationId, userId: spent.userId } : undefined;
    },
    /** Deletes a member's tokens that admins made; the operator's stay. */
    async deleteLoginTokensByAdmins(organizationId: string, userId: string): Promise<void> {
      await tokens.deleteMany({ organizationId, userId, madeBy: { $exists: true } });
    },
    async deleteLoginTokensOf(organizationId: string, userId: string): Promise<void> {
      await tokens.deleteMany({ organizationId, userId });
    },
    /** Deletes the open links that a member made, or those alone that were made by one key. */
    async deleteLinksBy(
      organizationId: string,
      maker: { userId: string; apiKeyId?: string },
    ): Promise<void> {
      const made = {
        organizationId,
        'madeBy.userId': maker.userId,
        ...(maker.apiKeyId === undefined ? {} : { 'madeBy.apiKeyId': maker.apiKeyId }),
      };
      await tokens.deleteMany(made);
      await database.collection('invitations').deleteMany(made);
    },
  };
}
