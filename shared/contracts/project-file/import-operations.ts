import { z } from 'zod';
import { operation } from '../define.ts';
import { description, name } from '../fields.ts';
import { importedAttachments } from './operations.ts';

const projectId = z.string();

/** The life of a project that is being imported, for the transfers service, which has no database. */
export const importOperations = {
  beginImport: operation({
    method: 'POST',
    path: '/internal/imports/begin',
    summary:
      'Begin the import of a project, which nobody sees until it is finished; for the transfers service',
    access: 'service',
    body: z.object({
      projectId,
      name: name(),
      description: description(),
      traceRetentionDays: z.number().optional(),
      runRetentionDays: z.number().optional(),
      /** Makes the new ids. */
      idSecret: z.string(),
      /** Of the Idempotency-Key, if the client sent one. */
      keyId: z.string().nullable(),
    }),
    reply: z.object({
      /** The import with this key is new, under way, or was finished before. */
      outcome: z.enum(['begun', 'underWay', 'finished']),
      projectId,
      idSecret: z.string(),
      /** Of the lines that were imported. */
      sha256: z.string().nullable(),
      attachments: importedAttachments.nullable(),
    }),
    status: 200,
  }),
  prolongImport: operation({
    method: 'POST',
    path: '/internal/imports/prolong',
    summary: 'Keep an import that is under way from being swept away; for the transfers service',
    access: 'service',
    body: z.object({ projectId }),
    reply: z.object({ found: z.boolean() }),
    status: 200,
  }),
  finishImport: operation({
    method: 'POST',
    path: '/internal/imports/finish',
    summary: 'Show an imported project to everybody, in one step; for the transfers service',
    access: 'service',
    body: z.object({ projectId, sha256: z.string(), attachments: importedAttachments }),
    reply: z.object({ found: z.boolean() }),
    status: 200,
  }),
  abandonImport: operation({
    method: 'POST',
    path: '/internal/imports/abandon',
    summary: 'Delete what was imported of a project so far; for the transfers service',
    access: 'service',
    body: z.object({ projectId }),
    reply: z.object({}),
    status: 200,
  }),
};
