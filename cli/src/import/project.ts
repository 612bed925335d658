import type { Client } from '@assay/client/client';
import { type ImportedAttachments, kindOf, projectFormat } from '@assay/contracts/project-file';
import { readHead, type Source, type SourceFile } from '@assay/import/source';
import { CommandFailure } from '../failure.ts';

/** The last line of the server's answer. */
interface LastLine {
  done?: true;
  projectId?: string;
  counts?: Record<string, number>;
  members?: Record<string, number>;
  attachments?: ImportedAttachments;
  code?: string;
  message?: string;
}

export interface ImportedProject {
  projectId: string;
  counts: Record<string, number>;
  members: Record<string, number>;
  attachments: ImportedAttachments;
}

/** The file of a source that is an exported project, told by its header. */
export async function projectFileOf({ files }: Source): Promise<SourceFile | undefined> {
  const [file, ...others] = files;
  if (!file || others.length > 0) return undefined;
  const head = await readHead(file);
  const [line] = new TextDecoder().decode(head).split('\n', 1);
  return kindOf(head) === 'header' && line!.includes(`"${projectFormat}"`) ? file : undefined;
}

/** Sends an exported project as it is: the server makes a new project of it, or nothing. */
export async function sendProject({
  client,
  file,
  name,
  progress,
}: {
  client: Client;
  file: SourceFile;
  /** Of the new project, in place of the former name. */
  name: string | undefined;
  progress: (text: string) => void;
}): Promise<ImportedProject> {
  const query = new URLSearchParams({
    answers: 'summary',
    ...(name === undefined ? {} : { name }),
  });
  async function* counted() {
    let bytes = 0;
    for await (const chunk of file.open()) {
      bytes += chunk.length;
      progress(`${(bytes / 2 ** 20).toFixed(1)} of ${(file.size / 2 ** 20).toFixed(1)} MiB`);
      yield chunk;
    }
  }
  const reply = await client.open('POST', `/projects/import?${query}`, {
    headers: { 'content-type': 'application/x-ndjson' },
    body: ReadableStream.from(counted()) as ReadableStream<Uint8Array>,
  });
  const last = lastLineOf(await reply.text().catch(() => ''));
  if (last?.message !== undefined)
    throw new CommandFailure(`${last.code}: ${last.message} Nothing was imported.`);
  const { projectId, counts, members, attachments } = last ?? {};
  if (!projectId || !counts || !members || !attachments)
    throw new CommandFailure(
      'The connection broke before the import was finished. Look whether the project is there, and repeat the command if it is not: an import that is not finished leaves nothing.',
    );
  return { projectId, counts, members, attachments };
}

function lastLineOf(text: string): LastLine | undefined {
  const line = text.trimEnd().split('\n').at(-1);
  return line ? (JSON.parse(line) as LastLine) : undefined;
}
