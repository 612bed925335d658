import type { Handlers } from '@assay/contracts/define';
import type { sessions } from '@assay/contracts/sessions';
import type { Bytes } from './domain/bytes.ts';
import type { AttachmentPart } from './domain/project-part.ts';
import type { Domain } from './domain.ts';

export const createRoutes = (
  domain: Domain,
  bytes: Bytes,
  attachmentPart: AttachmentPart,
): Handlers<typeof sessions> => ({
  declareAttachment: ({ identity, body }) => domain.declare(identity, body),
  uploadAttachment: ({ params, query, stream, contentLength }) =>
    bytes.upload(params.attachmentId, query, { stream, contentLength }),
  commitAttachment: ({ identity, params }) => domain.commit(identity, params.attachmentId),
  getAttachment: ({ identity, params }) => domain.get(identity, params.attachmentId),
  downloadAttachment: ({ params, query }) => bytes.download(params.attachmentId, query),
  deleteAttachment: ({ identity, params }) => domain.delete(identity, params.attachmentId),
  listSessionAttachments: ({ identity, params, page }) =>
    domain.list(identity, params.sessionId, page),
  exportAttachments: ({ identity, body }) => attachmentPart.exportAttachments(identity, body),
  restoreAttachments: ({ identity, query, stream }) =>
    attachmentPart.restorePart(identity, query.projectId, stream),
  revealAttachments: ({ identity, body }) => attachmentPart.revealPart(identity, body.projectId),
});
