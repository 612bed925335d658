import { Failure } from '@assay/contracts/failure';
import type { KeyList } from '@assay/runtime/keys';
import { isSignature, signFirst } from '@assay/runtime/signature';
import type { ContentAddress, Upload } from './storage/content.ts';

/** The query parameters that every signed URL has. The attachment's id is in its path. */
interface SignedQuery {
  expires: string;
  signature: string;
}

export type SignedUrls = ReturnType<typeof createSignedUrls>;

/**
 * Makes and opens the URLs that need no bearer. Everything that they carry is signed: attachment,
 * organization, hash, size, expiry. Opening throws FORBIDDEN for one that this installation did not
 * sign for this attachment, and for one that has expired.
 */
export function createSignedUrls({
  keys,
  publicUrl,
  clock,
}: {
  keys: () => KeyList;
  publicUrl: string;
  clock: () => Date;
}) {
  function urlOf(
    purpose: 'upload' | 'download',
    attachmentId: string,
    carried: string,
    expiresAt: Date,
  ): string {
    const expires = String(expiresAt.getTime());
    const signature = signFirst(
      keys(),
      `attachment-${purpose}`,
      JSON.stringify([attachmentId, carried, expires]),
    );
    return `${publicUrl}/attachments/${attachmentId}/content?${new URLSearchParams({ [purpose]: carried, expires, signature })}`;
  }

  function open(
    purpose: 'upload' | 'download',
    attachmentId: string,
    carried: string,
    { expires, signature }: SignedQuery,
  ): string[] {
    const text = JSON.stringify([attachmentId, carried, expires]);
    if (!isSignature(keys(), `attachment-${purpose}`, text, signature))
      throw forbidden('This URL was not signed for this attachment.');
    if (Number(expires) <= clock().getTime()) throw forbidden('This URL has expired.');
    return carried.split('.');
  }

  return {
    uploadUrl: (
      { attachmentId, organizationId, sha256, sizeBytes }: Upload,
      expiresAt: Date,
    ): string =>
      urlOf('upload', attachmentId, [organizationId, sha256, sizeBytes].join('.'), expiresAt),
    downloadUrl: (
      { attachmentId, organizationId, sha256 }: ContentAddress & { attachmentId: string },
      expiresAt: Date,
    ): string => urlOf('download', attachmentId, [organizationId, sha256].join('.'), expiresAt),
    openUpload(
      attachmentId: string,
      { upload, ...signed }: SignedQuery & { upload: string },
    ): Upload {
      const [organizationId, sha256, sizeBytes] = open('upload', attachmentId, upload, signed);
      return {
        attachmentId,
        organizationId: organizationId!,
        sha256: sha256!,
        sizeBytes: Number(sizeBytes),
      };
    },
    openDownload(
      attachmentId: string,
      { download, ...signed }: SignedQuery & { download: string },
    ): ContentAddress {
      const [organizationId, sha256] = open('download', attachmentId, download, signed);
      return { organizationId: organizationId!, sha256: sha256! };
    },
  };
}

export const forbidden = (message: string): Failure => new Failure('FORBIDDEN', message);
