import { z } from 'zod';
import { list, operation, service } from './define.ts';
import { exampleIds, exampleInstant, exampleSignedUrl } from './examples.ts';
import { id, success, text, timestamp } from './fields.ts';
import { forgetAttachmentsQuestion } from './forgetting.ts';
import { usageQuestion } from './limits.ts';
import { payload } from './payload.ts';
import { importedAttachments, partReveal } from './project-file/operations.ts';

const sha256 = z
  .string()
  .regex(/^[0-9a-f]{64}$/, 'must be 64 lowercase hexadecimal digits')
  .meta({ description: 'SHA-256 of its bytes.' });
const metadata = payload("The client's own notes about the file.");
/** The most bytes that one PUT to S3 takes. */
const sizeBytesMax = 5 * 1024 * 1024 * 1024;
/** Sessions that one request of another service names. */
export const sessionsAtOnceMax = 500;
const exampleHash = '9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08';
const { upload, download, ...signed } = exampleSignedUrl;

/** A session's name, in the path too. */
const sessionId = text(256, 1).meta({
  description: 'A name of your own, as the records of the session have it.',
});
const filePath = text(1024, 1).meta({
  description: 'Where the file stands in its session; it holds one file at each path.',
});
const contentType = text(256, 1).meta({ description: 'Its media type, such as `text/plain`.' });
const filename = text(512, 1).meta({ description: 'What a download is called.' });

const ofSignedUrl = (charactersMax: number) =>
  z.string().max(charactersMax).meta({ description: 'As the signed URL has it.' });
const signature = { expires: ofSignedUrl(32), signature: ofSignedUrl(128) };

export const attachment = z
  .object({
    id: id(),
    sessionId,
    filePath,
    filename: filename.nullable(),
    contentType: contentType.nullable(),
    sizeBytes: z.int().min(0).nullable().meta({ description: 'Bytes that it has.' }),
    sha256: sha256.nullable(),
    status: z
      .enum(['pending', 'uploaded'])
      .meta({ description: 'Whether its bytes are there and checked.' }),
    uploadedAt: timestamp().nullable().meta({ description: 'When they were; null until then.' }),
    metadata: metadata.nullable(),
  })
  .meta({
    id: 'Attachment',
    description: 'A file of a session.',
    examples: [
      {
        id: exampleIds.attachment,
        sessionId: 'session-1',
        filePath: 'logs/answer.txt',
        filename: 'answer.txt',
        contentType: 'text/plain',
        sizeBytes: 4,
        sha256: exampleHash,
        status: 'uploaded',
        uploadedAt: exampleInstant,
        metadata: null,
      },
    ],
  });

const declaration = z.object({
  sessionId,
  filePath,
  sha256,
  sizeBytes: z.int().min(0).max(sizeBytesMax).meta({ description: 'Bytes that will be uploaded.' }),
  contentType,
  filename: filename.optional(),
  metadata: metadata.optional(),
});

export const sessions = service({
  name: 'sessions',
  summary: 'Files that belong to a session',
  operations: {
    declareAttachment: operation({
      method: 'POST',
      path: '/attachments',
      summary: 'Declare a file: the first of three steps. Gives a signed URL for the second',
      body: declaration,
      reply: z.object({
        id: id(),
        alreadyExists: z
          .boolean()
          .meta({ description: 'The bytes are known: there is nothing to upload.' }),
        uploadUrl: z
          .string()
          .nullable()
          .meta({ description: 'Where the bytes go; null where there is nothing to upload.' }),
        uploadMethod: z.literal('PUT').nullable().meta({ description: 'How they go there.' }),
        expiresAt: timestamp().nullable().meta({ description: 'Until when the URL can be used.' }),
      }),
      status: 201,
      example: {
        body: {
          sessionId: 'session-1',
          filePath: 'logs/answer.txt',
          sha256: exampleHash,
          sizeBytes: 4,
          contentType: 'text/plain',
        },
      },
    }),
    uploadAttachment: operation({
      method: 'PUT',
      path: '/attachments/:attachmentId/content',
      summary: 'Upload the bytes to the signed URL: the second step. Needs no API key',
      access: 'signature',
      query: z.object({
        upload: ofSignedUrl(256),
        ...signature,
      }),
      streams: ['*'],
      bodyBytesMax: sizeBytesMax,
      reply: success,
      status: 200,
      failures: ['FORBIDDEN', 'CONFLICT'],
      example: { query: { upload, ...signed }, body: 'test' },
    }),
    commitAttachment: operation({
      method: 'POST',
      path: '/attachments/:attachmentId/commit',
      summary: 'Commit the uploaded bytes: the third step. Checks size and SHA-256',
      takesLong: true,
      reply: attachment,
      status: 200,
      failures: ['CONFLICT'],
    }),
    getAttachment: operation({
      method: 'GET',
      path: '/attachments/:attachmentId',
      summary: 'Get an attachment with a short-lived download URL',
      reply: attachment.extend({
        downloadUrl: z
          .string()
          .nullable()
          .meta({ description: 'Where the bytes are; null before they were uploaded.' }),
        downloadExpiresAt: timestamp()
          .nullable()
          .meta({ description: 'Until when the URL can be used.' }),
      }),
      status: 200,
    }),
    downloadAttachment: operation({
      method: 'GET',
      path: '/attachments/:attachmentId/content',
      summary: 'Download the bytes from the signed URL. Needs no API key',
      access: 'signature',
      query: z.object({
        download: ofSignedUrl(256),
        ...signature,
      }),
      // That of the file, where one was declared.
      replyStreams: ['application/octet-stream', '*'],
      status: 200,
      failures: ['FORBIDDEN'],
      example: { query: { download, ...signed } },
    }),
    deleteAttachment: operation({
      method: 'DELETE',
      path: '/attachments/:attachmentId',
      summary: 'Delete an attachment',
      reply: success,
      status: 200,
    }),
    listSessionAttachments: list({
      path: '/sessions/:sessionId/attachments',
      summary: 'List the committed attachments of a session, oldest first',
      params: { sessionId },
      item: attachment,
    }),
    exportAttachments: operation({
      method: 'POST',
      path: '/internal/attachments/export',
      summary:
        'The committed attachments of some sessions, a line each, followed by lines with its bytes if they are wanted; for the transfers service',
      access: 'service',
      body: z.object({
        sessionIds: z.array(z.string()).max(sessionsAtOnceMax),
        withBytes: z.boolean(),
      }),
      replyStreams: ['application/x-ndjson'],
      status: 200,
    }),
    restoreAttachments: operation({
      method: 'POST',
      path: '/internal/attachments/restore',
      summary:
        'Store attachments of a project that is being imported, and their bytes, hidden; for the transfers service',
      access: 'service',
      query: z.object({ projectId: z.string() }),
      streams: ['application/x-ndjson'],
      reply: importedAttachments,
      status: 200,
    }),
    revealAttachments: partReveal('attachments'),
  },
  questions: {
    forgetSession: forgetAttachmentsQuestion,
    usage: usageQuestion("The bytes of the organization's attachments; asked by identity"),
  },
});
