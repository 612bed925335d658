import { z } from 'zod';
import { operation } from '../define.ts';
import { count, text } from '../fields.ts';

/**
 * The lines of one kind that are read of a service: those of a project or, of testcases and
 * records, those of the testset or run that holds them.
 */
const exportedPart = z.object({ kind: z.string(), of: z.string() });
export type ExportedPart = z.infer<typeof exportedPart>;

/** Attachments whose bytes an import does not have, in its answer. */
export const missingAttachmentsMax = 20;

/** What became of the attachments of an imported file. */
export const importedAttachments = z.object({
  /** They were not in their sessions before. */
  attached: count(),
  /** The session has the same file already. */
  present: count(),
  /** The session has another file at this path, which stays. */
  different: count(),
  /** The bytes are neither in the file nor here. */
  missing: count(),
  /** The first of these. */
  missingAttachments: z
    .array(
      z.object({
        sessionId: text(256),
        filePath: text(1024),
        sizeBytes: count(),
        sha256: z.string(),
      }),
    )
    .max(missingAttachmentsMax),
});
export type ImportedAttachments = z.infer<typeof importedAttachments>;

/** How a service hands out its part of a project: for the transfers service. */
export const partExport = <const Name extends string>(service: Name) =>
  operation({
    method: 'POST',
    path: `/internal/${service}/part/export`,
    summary: 'The lines of one kind of a project that is exported; for the transfers service',
    access: 'service',
    body: exportedPart,
    replyStreams: ['application/x-ndjson'],
    status: 200,
  });

/** How a service takes in its part of a project: for the transfers service. */
export const partRestore = <const Name extends string>(service: Name) =>
  operation({
    method: 'POST',
    path: `/internal/${service}/part/restore`,
    summary:
      'Store lines of a project that is being imported, hidden; a repeat changes nothing; for the transfers service',
    access: 'service',
    query: z.object({ projectId: z.string() }),
    streams: ['application/x-ndjson'],
    reply: z.object({ lines: count() }),
    status: 200,
  });

/** How a service shows its part of a project that was imported: for the transfers service. */
export const partReveal = <const Name extends string>(service: Name) =>
  operation({
    method: 'POST',
    path: `/internal/${service}/part/reveal`,
    summary:
      'Show what was stored of a project that is imported; a repeat changes nothing; for the transfers service',
    access: 'service',
    body: z.object({ projectId: z.string() }),
    reply: z.object({}),
    status: 200,
  });
