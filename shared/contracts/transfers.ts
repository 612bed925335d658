import { z } from 'zod';
import { operation, service } from './define.ts';
import { name } from './fields.ts';

const exportDescription = [
  'The first line is a header with the version of the format, the last `{ "kind": "end", "lines", "sha256", "signature" }`: a file without it is not whole.',
  'Payloads are the JSON that was sent; scores, judgements, failures and annotations are as they are. Of the attachments of sessions that records name, the file has paths, sizes and hashes, and with `attachments=include` the bytes, of each content once. Traces are not in it.',
].join(' ');

const importDescription = [
  'A line is answered by `{ kind, from, to }` for each id that was made for one of the file; the last line is `{ done: true, projectId, counts, members, attachments }`, or the failure, with `status`, `code`, `message` and `details.line`: the line of the file, or with `details.lastLine` the first of several among which the fault is.',
  'Nobody sees the project before its last line was checked, and what is not finished is deleted. Nothing is scored again: a run with scores that are still to be made is paused, and so is every monitor.',
  'Attachments come to sessions of the same names. `attachments` counts those that are `attached` now, `present` already, `different` (the session has another file at this path, which stays) and `missing` (their bytes are neither in the file nor here); `missingAttachments` are the first 20 of these.',
  "Authors are believed in a file that this server signed for your organization. Whoever is no longer a member keeps an id that is no member's. In any other file each author but you becomes a person of their own who is no member; `members.imported` counts them. What was assigned to a member, found by id or by e-mail address, stays so; the rest is assigned to you.",
].join(' ');

export const transfers = service({
  name: 'transfers',
  summary: 'Whole projects, out and in: as a backup, and from one server to another',
  operations: {
    exportProject: operation({
      method: 'GET',
      path: '/projects/:projectId/export',
      expensive: true,
      summary: 'Stream everything of a project as NDJSON, from which it can be imported',
      description: exportDescription,
      query: z.object({
        attachments: z.enum(['list', 'include']).default('list').meta({
          description: '`include`: with the bytes of attachments, which may be large.',
        }),
      }),
      replyStreams: ['application/x-ndjson'],
      status: 200,
    }),
    importProject: operation({
      method: 'POST',
      path: '/projects/import',
      expensive: true,
      summary: 'Make a project of the file that an export wrote, with new ids',
      description: importDescription,
      query: z.object({
        name: name()
          .optional()
          .meta({ description: 'Of the new project, in place of the former name.' }),
        answers: z.enum(['all', 'summary']).default('all').meta({
          description:
            '`summary`: no line per id, only the last line; blank lines come while the import is under way.',
        }),
      }),
      streams: ['application/x-ndjson'],
      replyStreams: ['application/x-ndjson'],
      status: 200,
      commitsIdempotencyKey: true,
      failures: ['CONFLICT'],
      example: {
        body: {
          kind: 'header',
          format: 'assay-project',
          version: 1,
          exportedAt: '2026-01-31T12:00:00.000Z',
        },
      },
    }),
  },
});
