import type { KeyList } from '@assay/runtime/keys';
import { isSignature, signFirst } from '@assay/runtime/signature';

export interface SignedFile {
  /** Lines before the end line. */
  lines: number;
  /** SHA-256 of these lines. */
  sha256: string;
}

const signerPurpose = 'signer of files';

const textOf = (organizationId: string, { lines, sha256 }: SignedFile): string =>
  `${organizationId}\n${lines}\n${sha256}`;

/**
 * Signatures of exported files, by which authors in them are believed (ADR 72). A file is signed for
 * the organization that exported it: the admins of another decide who its members are.
 */
export function createFileSignatures(keys: () => KeyList) {
  /** Stands in the first line, so that an import knows what it may believe before the end. */
  const signerOf = (organizationId: string): string =>
    signFirst(keys(), signerPurpose, organizationId);
  return {
    signerOf,
    isSigner: (organizationId: string, signer: string | undefined): boolean =>
      signer !== undefined && isSignature(keys(), signerPurpose, organizationId, signer),
    sign: (organizationId: string, file: SignedFile): string =>
      signFirst(keys(), 'file', textOf(organizationId, file)),
    isSigned: (organizationId: string, file: SignedFile, signature: string): boolean =>
      isSignature(keys(), 'file', textOf(organizationId, file), signature),
  };
}

export type FileSignatures = ReturnType<typeof createFileSignatures>;
