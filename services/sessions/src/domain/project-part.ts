import type { Identity } from '@assay/contracts/define';
import { type LineToWrite, lineSchemas } from '@assay/contracts/project-file';
import { createLineWriter, linesReply } from '@assay/runtime/http/lines';
import type { Store } from '../store.ts';

const { attachment } = lineSchemas;
const write = createLineWriter({ attachment });

export type AttachmentPart = ReturnType<typeof createAttachmentPart>;

/** The attachments of sessions that the records of an exported project name. */
export function createAttachmentPart({ store }: { store: Store }) {
  async function* attachmentsOf(
    { organizationId }: Identity,
    sessionIds: string[],
  ): AsyncGenerator<LineToWrite<'attachment'>> {
    for await (const found of store.listOfSessions(organizationId, sessionIds)) {
      const { sessionId, filePath, content } = found;
      if (!content) continue;
      const { filename, contentType, sizeBytes, sha256 } = content;
      yield { kind: 'attachment', sessionId, filePath, filename, contentType, sizeBytes, sha256 };
    }
  }

  return {
    async exportAttachments(identity: Identity, sessionIds: string[]) {
      return linesReply(write(attachmentsOf(identity, sessionIds)));
    },
  };
}
