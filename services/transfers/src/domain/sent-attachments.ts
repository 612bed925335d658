import type { Identity } from '@assay/contracts/define';
import type { ImportedAttachments } from '@assay/contracts/project-file';
import type { Owners } from './dependencies.ts';

export const noAttachments: ImportedAttachments = {
  attached: 0,
  present: 0,
  different: 0,
  missing: 0,
  missingAttachments: [],
};

/**
 * Sends the attachments of a file and their bytes to sessions in one request, a line when the one
 * before is taken: no more of them is held than a line.
 */
export function createSentAttachments({
  sessions,
  identity,
  projectId,
}: {
  sessions: Owners['sessions'];
  identity: Identity;
  projectId: string;
}) {
  let sending:
    | { writer: WritableStreamDefaultWriter<Uint8Array>; outcome: Promise<ImportedAttachments> }
    | undefined;
  /** Ends the wait for the line under way. */
  let stopWaiting = (): void => undefined;

  function begin() {
    const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
    const outcome = sessions.restoreAttachments(identity, {
      query: { projectId },
      bytes: readable,
    });
    // Whoever waits for a line, or for the end, hears of a failure.
    outcome.catch(() => stopWaiting());
    return { writer: writable.getWriter(), outcome };
  }

  return {
    /** Takes a line. @throws the failure with which sessions refused this line, or an earlier one. */
    async add(raw: Buffer): Promise<void> {
      sending ??= begin();
      const { writer, outcome } = sending;
      const isTaken = await new Promise<boolean>((resolve) => {
        stopWaiting = () => resolve(false);
        writer.write(Buffer.concat([raw, lineBreak])).then(() => resolve(true), stopWaiting);
      });
      if (!isTaken) await outcome;
    },
    /** Resolves when all is stored. */
    async finish(): Promise<ImportedAttachments> {
      if (!sending) return noAttachments;
      sending.writer.close().catch(nothing);
      return sending.outcome;
    },
    /** Breaks off what is being sent. Resolves when nothing is being stored any more. */
    async abandon(): Promise<void> {
      if (!sending) return;
      sending.writer.abort(new Error('the import was abandoned')).catch(nothing);
      await sending.outcome.then(nothing, nothing);
    },
  };
}

const lineBreak = Buffer.from('\n');
const nothing = (): void => undefined;
