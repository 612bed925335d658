import type { Identity } from '@assay/contracts/define';
import type { ImportedAttachments } from '@assay/contracts/project-file';
import type { StoredImport } from '../store/imports.ts';
import type { Store } from '../store.ts';

/** How long an import may stand still before it is swept away: it is prolonged every minute. */
const importLeaseMs = 15 * 60_000;
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
    /** Deletes the imports that nobody prolonged in time. */
    async sweep(): Promise<void> {
      for (const { organizationId, projectId } of await store.imports.listExpired(now())) {
        const requestId = newId();
        const identity = { organizationId, userId: '', role: 'service', apiKeyId: null, requestId };
        await abandon(identity as Identity, projectId);
      }
    },
  };
}
