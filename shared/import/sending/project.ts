import type { Client } from '@assay/client/client';
import type { ImportedAttachments, projectFormat } from '@assay/contracts/project-file';
import { ImportFailure } from '../failure.ts';
import { readHead, type Source, type SourceFile } from '../source.ts';

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
  const [line = ''] = new TextDecoder().decode(await readHead(file)).split('\n', 1);
  return /^\s*\{\s*"kind"\s*:\s*"header"/.test(line) && line.includes(`"${format}"`)
    ? file
    : undefined;
}

/** The contract's own, as a type: a browser has no need of its schemas. */
const format: typeof projectFormat = 'assay-project';

/** Sends an exported project as it is: the server makes a new project of it, or nothing. */
export async function sendProject({
  client,
  body,
  name,
}: {
  client: Client;
  /** The bytes of its file. */
  body: AsyncIterable<Uint8Array> | Blob;
  /** Of the new project, in place of the former name. */
  name: string | undefined;
}): Promise<ImportedProject> {
  const reply = await client.open('POST', '/projects/import', {
    query: { answers: 'summary', ...(name === undefined ? {} : { name }) },
    headers: { 'content-type': 'application/x-ndjson' },
    body,
  });
  const last = lastLineOf(await reply.text().catch(() => ''));
  if (last?.message !== undefined)
    throw new ImportFailure({}, `${last.code}: ${last.message} Nothing was imported.`);
  const { projectId, counts, members, attachments } = last ?? {};
  if (!projectId || !counts || !members || !attachments)
    throw new ImportFailure(
      {},
      'The connection broke before the import was finished. Look whether the project is there, and repeat the command if it is not: an import that is not finished leaves nothing.',
    );
  return { projectId, counts, members, attachments };
}

function lastLineOf(text: string): LastLine | undefined {
  const line = text.trimEnd().split('\n').at(-1);
  return line ? (JSON.parse(line) as LastLine) : undefined;
}
