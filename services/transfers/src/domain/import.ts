import { createHash } from 'node:crypto';
import type { Identity, StreamReply } from '@assay/contracts/define';
import { Failure, invalidAt } from '@assay/contracts/failure';
import { isLineKind, kindOf, type Line, lineBytesMax } from '@assay/contracts/project-file';
import { toFailure } from '@assay/runtime/http/failures';
import { readLines } from '@assay/runtime/uploads/read-lines';
import type { Dependencies } from './dependencies.ts';
import { atLines, isUnknownKind, parseLine, readHeader } from './read-line.ts';
import { createRestoredProject, type RestoredProject } from './restored-project.ts';

export interface ImportRequest {
  stream: AsyncIterable<Uint8Array>;
  /** Of the new project, in place of the former name. */
  name: string | undefined;
  isSummaryOnly: boolean;
  keyId: string | null;
}

/** The state of an import. */
interface Progress {
  line: number;
  /** Does the file say that this server signed it for this organization? Its end shows it. */
  isSigned: boolean;
  hash: ReturnType<typeof createHash>;
  counts: Record<string, number>;
  project: RestoredProject | undefined;
  isFinished: boolean;
}

/**
 * Makes projects of files, line by line: memory holds a batch of lines, and the ids of testsets, runs
 * and metrics. A fault ends the import, and deletes all that was stored of it.
 */
export function createImports(dependencies: Dependencies) {
  const { signatures } = dependencies;

  /** Yields pieces of the answer; an empty one while nothing is to be said. */
  async function* read(identity: Identity, request: ImportRequest, progress: Progress) {
    for await (const raw of readLines(request.stream, lineBytesMax)) {
      progress.line += 1;
      const kind = kindOf(raw);
      if (progress.line === 1)
        progress.isSigned = signatures.isSigner(
          identity.organizationId,
          await readHeader(raw, kind),
        );
      else if (kind === undefined || !isLineKind(kind)) throw isUnknownKind(kind);
      else if (progress.isFinished) throw invalidAt('', 'stands after the end line');
      else if (kind === 'project') yield await begin(identity, request, progress, raw);
      else if (!progress.project || kind === 'header')
        throw invalidAt(
          '/kind',
          `is "${kind}", which cannot stand here: the second line is the project`,
        );
      else if (kind === 'end') yield await end(identity, progress, await parseLine(kind, raw));
      else yield await progress.project.add(kind, raw, progress.line);
      progress.hash.update(raw).update('\n');
      if (kind !== undefined) progress.counts[kind] = (progress.counts[kind] ?? 0) + 1;
    }
    if (!progress.isFinished) throw cutOff(progress.line);
  }

  async function begin(
    identity: Identity,
    { name, keyId }: ImportRequest,
    progress: Progress,
    raw: Buffer,
  ): Promise<string> {
    if (progress.project) throw invalidAt('/kind', 'is "project" for the second time');
    const line = await parseLine('project', raw);
    progress.project = await createRestoredProject(dependencies, identity, {
      line,
      name: name ?? line.name,
      keyId,
      areAuthorsBelieved: progress.isSigned,
    });
    return progress.project.begun;
  }

  /** Checks that all lines came as they were written, and shows the project. */
  async function end(
    { organizationId }: Identity,
    progress: Progress,
    { lines, sha256, signature = '' }: Line<'end'>,
  ): Promise<string> {
    const project = progress.project!;
    const found = progress.hash.copy().digest('hex');
    if (lines !== progress.line - 1 || sha256 !== found)
      throw invalidAt(
        '/sha256',
        `is not that of the ${progress.line - 1} lines before: the file was changed or is damaged. Export the project again`,
      );
    if (progress.isSigned && !signatures.isSigned(organizationId, { lines, sha256 }, signature))
      throw invalidAt(
        '/signature',
        'is not that of this server for these lines: the file was changed. Without the "signer" of its first line it can be imported, and its authors become people of their own',
      );
    const answers = await project.flush();
    await project.finish(found);
    progress.isFinished = true;
    return answers;
  }

  async function* linesOf(
    identity: Identity,
    request: ImportRequest,
    progress: Progress,
  ): AsyncGenerator<string> {
    let isAnswered = false;
    try {
      for await (const answer of read(identity, request, progress)) {
        const text = request.isSummaryOnly && answer !== '' ? '\n' : answer;
        if (text === '') continue;
        yield text;
        isAnswered = true;
      }
      yield `${JSON.stringify({ done: true, ...progress.project!.outcome(), counts: progress.counts })}\n`;
    } catch (error) {
      const failure = atLines(toFailure(error), progress.line);
      await progress.project?.abandon();
      if (!isAnswered) throw failure;
      yield `${JSON.stringify({ status: failure.status, ...failure.toWire() })}\n`;
    } finally {
      // A client that went away reads no more.
      if (!progress.isFinished) await progress.project?.abandon();
    }
  }

  return {
    async importProject(identity: Identity, request: ImportRequest): Promise<StreamReply> {
      const progress: Progress = {
        line: 0,
        isSigned: false,
        hash: createHash('sha256'),
        counts: Object.create(null),
        project: undefined,
        isFinished: false,
      };
      const lines = linesOf(identity, request, progress);
      // The first line comes when the project is begun: then a repeat is known as one.
      const first = await lines.next();
      return {
        contentType: 'application/x-ndjson',
        replayed: progress.project?.isRepeat ?? false,
        stream: first.done ? lines : resume(first.value, lines),
      };
    },
  };
}

async function* resume(first: string, rest: AsyncGenerator<string>): AsyncGenerator<string> {
  try {
    yield first;
    yield* rest;
  } finally {
    // A reader that left after the first line has not begun with the rest yet.
    await rest.return(undefined);
  }
}

function cutOff(line: number): Failure {
  const message = `is not whole: it has no end line after ${line} lines`;
  return new Failure('VALIDATION_ERROR', `The file ${message}. Nothing was imported.`, {
    details: { issues: [{ path: '', message }], line },
  });
}
