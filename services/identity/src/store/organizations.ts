import type { OperatedOrganization, Organization } from '@assay/contracts/identity';
import type { LimitChange, OwnLimits } from '@assay/contracts/limits';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { Database } from '@assay/runtime/mongo/database';
import { findPage } from '@assay/runtime/mongo/page';

interface OrganizationDocument {
  _id: string;
  name: string;
  createdAt: Date;
  /**
   * Grows whenever who is an admin may change, so that two such changes cannot both go by the same
   * picture; and with its limits.
   */
  revision: number;
  /** Those that the operator has set for this organization alone. */
  limits?: OwnLimits;
  /** The operator has suspended it. */
  suspendedAt?: Date;
  /** Its deletion has begun: it is not resumed any more. */
  isBeingDeleted?: true;
}

/** The organizations, with the operator's settings for each. */
export function createOrganizations(database: Database) {
  const organizations = database.collection<OrganizationDocument>('organizations');
  return {
    async createOrganization({
      id,
      ...organization
    }: {
      id: string;
      name: string;
      createdAt: Date;
    }): Promise<void> {
      await organizations.insertOne({ _id: id, ...organization, revision: 0 });
    },
    async findOrganization(organizationId: string): Promise<Organization | undefined> {
      const document = await organizations.findOne({ _id: organizationId });
      return document ? toOrganization(document) : undefined;
    },
    /** Undefined when there is no such organization. */
    async renameOrganization(
      organizationId: string,
      name: string,
    ): Promise<Organization | undefined> {
      const document = await organizations.findOneAndUpdate(
        { _id: organizationId },
        { $set: { name } },
        { returnDocument: 'after' },
      );
      return document ? toOrganization(document) : undefined;
    },
    /** False as well where there is no such organization. */
    async isSuspended(organizationId: string): Promise<boolean> {
      const found = await organizations.findOne(
        { _id: organizationId, suspendedAt: { $exists: true } },
        { projection: { _id: 1 } },
      );
      return found !== null;
    },
    /**
     * Suspends an organization, or leaves it as it is where it is suspended. Undefined when there is
     * no such organization.
     */
    async suspendOrganization(
      organizationId: string,
      suspendedAt: Date,
    ): Promise<OperatedOrganization | undefined> {
      await organizations.updateOne(
        { _id: organizationId, suspendedAt: { $exists: false } },
        { $set: { suspendedAt }, $inc: { revision: 1 } },
      );
      const document = await organizations.findOne({ _id: organizationId });
      return document ? toOperatedOrganization(document) : undefined;
    },
    /** Undefined when there is no such organization that is not being deleted. */
    async resumeOrganization(organizationId: string): Promise<OperatedOrganization | undefined> {
      const document = await organizations.findOneAndUpdate(
        { _id: organizationId, isBeingDeleted: { $exists: false } },
        { $unset: { suspendedAt: '' }, $inc: { revision: 1 } },
        { returnDocument: 'after' },
      );
      return document ? toOperatedOrganization(document) : undefined;
    },
    /** Returns since when it is suspended; undefined, and begins nothing, where it is not. */
    async beginDeletion(organizationId: string): Promise<Date | undefined> {
      const document = await organizations.findOneAndUpdate(
        { _id: organizationId, suspendedAt: { $exists: true } },
        { $set: { isBeingDeleted: true }, $inc: { revision: 1 } },
      );
      return document?.suspendedAt;
    },
    /** Deletes the organization alone, not its data. */
    async deleteOrganization(organizationId: string): Promise<void> {
      await organizations.deleteOne({ _id: organizationId, isBeingDeleted: true });
    },
    /** Returns no limits where the organization has none of its own, or does not exist. */
    async findLimits(organizationId: string): Promise<OwnLimits> {
      const found = await organizations.findOne(
        { _id: organizationId },
        { projection: { limits: 1 } },
      );
      return found?.limits ?? {};
    },
    /** Undefined when there is no such organization. */
    async updateLimits(
      organizationId: string,
      change: LimitChange,
    ): Promise<OwnLimits | undefined> {
      const fields = Object.entries(change).map(([limit, value]) => [`limits.${limit}`, value]);
      const $set = Object.fromEntries(fields.filter(([, value]) => value !== null));
      const $unset = Object.fromEntries(fields.filter(([, value]) => value === null));
      const changed = await organizations.findOneAndUpdate(
        { _id: organizationId },
        { $set, $unset, $inc: { revision: 1 } },
        { returnDocument: 'after' },
      );
      return changed ? (changed.limits ?? {}) : undefined;
    },
    /** Across organizations: the operator's. */
    listOrganizations(page: PageRequest): Promise<Page<OperatedOrganization>> {
      return findPage(organizations, { filter: {}, page, toItem: toOperatedOrganization });
    },
    /**
     * First in a transaction that depends on who is an admin: another one waits until this is done.
     * False when there is none.
     */
    async lockOrganization(organizationId: string): Promise<boolean> {
      const { matchedCount } = await organizations.updateOne(
        { _id: organizationId },
        { $inc: { revision: 1 } },
      );
      return matchedCount === 1;
    },
  };
}

const toOrganization = ({ _id, name, createdAt }: OrganizationDocument): Organization => ({
  id: _id,
  name,
  createdAt: createdAt.toISOString(),
});

const toOperatedOrganization = (document: OrganizationDocument): OperatedOrganization => ({
  ...toOrganization(document),
  suspendedAt: document.suspendedAt?.toISOString() ?? null,
});
