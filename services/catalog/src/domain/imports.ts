import type { Identity } from '@assay/contracts/define';
import type { ImportedAttachments } from '@assay/contracts/project-file';
import { serviceIdentity } from '@assay/runtime/signature';
import type { StoredImport } from '../store/imports.ts';
import type { Store } from '../store.ts';

/** How long an import may stand still before it is swept away: it is prolonged every minute. */
const importLeaseMs = 15 * 60_000;
/** When an import is swept again that could not be deleted. */
const sweptAgainMs = 60_000;
/** How long a finished import is remembered, for repeats under its Idempotency-Key. */
const rememberedMs = 24 * 60 * 60_000;

interface Dependencies {
  store: Store;
  announceDeletion: (identity: Identity, projectId: string, testsetIds: string[]) => Promise<void>;
  /** Tells the services that keep parts of a project that it is gone. */
  forget: (identity: Identity, projectId: string) => Promise<void>;
  newId: () => string;
  now: () => Date;
}

/**
 * The life of a project that is being imported: nobody sees it before it is finished, and one that
 * is never finished is deleted as a project is (ADR 48).
 */
export function createImports({ store, announceDeletion, forget, newId, now }: Dependencies) {
  const after = (ms: number): Date => new Date(now().getTime() + ms);

  async function abandon(identity: Identity, projectId: string) {
    const wasUnderWay = await store.transaction(async () => {
      const testsetIds = await store.imports.abandon(identity.organizationId, projectId);
      if (!testsetIds) return false;
      await announceDeletion(identity, projectId, testsetIds);
      return true;
    });
    if (wasUnderWay) await forget(identity, projectId);
    return {};
  }

  return {
    async begin(
      { organizationId }: Identity,
      { keyId, ...begun }: StoredImport & { keyId: string | null },
    ) {
      const existing = await store.imports.begin(organizationId, begun, {
        keyId,
        expiresAt: after(importLeaseMs),
      });
      if (!existing)
        return {
          outcome: 'begun' as const,
          projectId: begun.projectId,
          idSecret: begun.idSecret,
          sha256: null,
          attachments: null,
        };
      const outcome = existing.sha256 === null ? ('underWay' as const) : ('finished' as const);
      return { outcome, ...existing };
    },
    async prolong({ organizationId }: Identity, projectId: string) {
      return {
        found: await store.imports.prolong(organizationId, projectId, after(importLeaseMs)),
      };
    },
    async finish(
      { organizationId }: Identity,
      {
        projectId,
        ...outcome
      }: { projectId: string; sha256: string; attachments: ImportedAttachments },
    ) {
      const found = await store.transaction(() =>
        store.imports.finish(organizationId, projectId, {
          ...outcome,
          forgetAt: after(rememberedMs),
        }),
      );
      return { found: found || (await store.imports.isFinished(organizationId, projectId)) };
    },
    abandon,
    expiredOrganizations: (): Promise<string[]> => store.imports.expiredOrganizations(now()),
    /**
     * Deletes one import of an organization that nobody prolonged in time, and says whether there
     * was one. One that cannot be deleted lets the others go first.
     */
    async sweep(organizationId: string): Promise<boolean> {
      const projectId = await store.imports.takeExpired(organizationId, {
        now: now(),
        until: after(sweptAgainMs),
      });
      if (projectId === undefined) return false;
      await abandon(serviceIdentity(organizationId, newId()), projectId);
      return true;
    },
  };
}
