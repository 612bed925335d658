import { z } from 'zod';
import { count, id, text, timestamp } from '../fields.ts';
import { payload } from '../payload.ts';

/** The format's name in the first line, and the version of its lines. */
export const projectFormat = 'assay-project';
export const formatVersion = 1;

export const headerLine = z.object({
  kind: z.literal('header'),
  format: z.literal(projectFormat),
  version: z.int().min(1),
  exportedAt: timestamp(),
  /** Of the server and organization that signed the file. */
  signer: text(64).optional(),
});

/** A member of the organization, whom other lines name by `userId`. */
export const memberLine = z.object({
  kind: z.literal('member'),
  userId: id(),
  email: text(320, 1),
  name: text(256).nullable(),
});

/** The bytes of an attachment that one line carries. */
export const attachmentBlockBytes = 384 * 1024;

/** An attachment of a session that a record names. Its bytes follow it, or are not in the file. */
export const attachmentLine = z.object({
  kind: z.literal('attachment'),
  sessionId: text(256, 1),
  filePath: text(1024, 1),
  filename: text(512).nullable(),
  contentType: text(256).nullable(),
  sizeBytes: count(),
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  metadata: payload("The client's own notes about the file.").nullable().optional(),
});

/** The next bytes of the attachment before it, in Base64 (RFC 4648, section 4). */
export const attachmentBytesLine = z.object({
  kind: z.literal('attachmentBytes'),
  base64: z.string().max(Math.ceil((4 * attachmentBlockBytes) / 3) + 4),
});

/** A session that records of a project name. Not in the file: it leads to the attachments that are. */
export const sessionLine = z.object({ kind: z.literal('session'), sessionId: text(256, 1) });

/** Without this line, a file is not whole. */
export const endLine = z.object({
  kind: z.literal('end'),
  /** Lines before this one. */
  lines: count(),
  /** SHA-256 of these lines, each with its line break, in hexadecimal. */
  sha256: z.string().regex(/^[0-9a-f]{64}$/),
  /** Of the signer that the header names. */
  signature: text(64).optional(),
});
