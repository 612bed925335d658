import type { Identity } from '@assay/contracts/define';
import { conflict } from '@assay/contracts/failure';
import type { CountedUsage } from '@assay/contracts/limits';
import type { OrganizationLimit } from '@assay/runtime/organization-limits';
import type { Store, StoredAttachment } from '../store.ts';
import { openSince } from './lifetimes.ts';

export type ByteQuota = ReturnType<typeof createByteQuota>;

/**
 * Bounds the bytes of an organization's attachments. They count from their declaration on, so that
 * there is room for every upload that may still come.
 */
export function createByteQuota({
  store,
  attachedBytesMax,
  clock,
}: {
  store: Store;
  attachedBytesMax: OrganizationLimit;
  clock: () => Date;
}) {
  return {
    async usage({ organizationId }: Identity): Promise<CountedUsage> {
      const used = await store.attachedBytes(organizationId, {
        except: '',
        openSince: openSince(clock()),
      });
      return { used, installationLimit: attachedBytesMax.installation ?? null };
    },

    /**
     * Checks that there is room for more bytes; `existing`: the attachment whose upload they take the
     * place of. Inside a transaction.
     * @throws CONFLICT where there is none.
     */
    async check(
      organizationId: string,
      sizeBytes: number,
      existing?: Pick<StoredAttachment, 'id' | 'content'>,
    ): Promise<void> {
      const bytesMax = await attachedBytesMax.of(organizationId);
      if (bytesMax === undefined) return;
      await store.serializeDeclarations(organizationId);
      const others = await store.attachedBytes(organizationId, {
        except: existing?.id ?? '',
        openSince: openSince(clock()),
      });
      const used = others + (existing?.content?.sizeBytes ?? 0);
      if (used + sizeBytes > bytesMax)
        throw conflict(
          `The attachments of your organization may take ${bytesMax} bytes and take ${used}: there is no room for ${sizeBytes} more. Delete some, or ask your operator for more.`,
        );
    },
  };
}
