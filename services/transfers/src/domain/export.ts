import { createHash } from 'node:crypto';
import type { Identity, StreamReply } from '@assay/contracts/define';
import {
  formatVersion,
  type LineKind,
  lineBytesMax,
  lineFormat,
  projectFormat,
  sessionLine,
} from '@assay/contracts/project-file';
import { sessionsAtOnceMax } from '@assay/contracts/sessions';
import { createLineReader } from '@assay/runtime/uploads/line-reader';
import { readLines } from '@assay/runtime/uploads/read-lines';
import type { Dependencies } from './dependencies.ts';

export interface ExportRequest {
  projectId: string;
  /** Whether the file has the bytes of attachments. */
  withBytes: boolean;
}

const lineBreak = 0x0a;
const readSessions = createLineReader({ schemas: { session: sessionLine }, ...lineFormat });

/**
 * Writes projects. The services write the lines; here they are joined, counted and hashed, and no
 * payload is looked into. Memory holds a chunk, and the ids of testsets and runs.
 */
export function createExports({
  owners,
  signatures,
  now,
}: Pick<Dependencies, 'owners' | 'signatures' | 'now'>) {
  const {
    identity: members,
    catalog,
    testcases,
    systems,
    metrics,
    runRecords,
    scoring,
    sessions,
    traces,
  } = owners;

  /**
   * Reads the naming before the named: pairwise comparisons come before runs, and runs and monitors
   * before testsets, systems and metrics, so that all that they name is there, even if it was made a
   * moment before.
   */
  async function* partsOf(
    identity: Identity,
    { projectId, withBytes }: ExportRequest,
  ): AsyncGenerator<Uint8Array> {
    const runIds: string[] = [];
    const testsetIds: string[] = [];
    const ofProject = (kind: LineKind) => ({ kind, of: projectId });
    yield* members.exportIdentityPart(identity, { kind: 'member', of: '' });
    yield* scoring.exportScoringPart(identity, ofProject('pairwiseComparison'));
    yield* noting(runIds, runRecords.exportRunRecordsPart(identity, ofProject('run')));
    yield* traces.exportTracesPart(identity, ofProject('monitor'));
    yield* noting(testsetIds, catalog.exportCatalogPart(identity, ofProject('testset')));
    yield* systems.exportSystemsPart(identity, ofProject('system'));
    yield* systems.exportSystemsPart(identity, ofProject('systemVersion'));
    yield* metrics.exportMetricsPart(identity, ofProject('metric'));
    yield* metrics.exportMetricsPart(identity, ofProject('metricVersion'));
    yield* metrics.exportMetricsPart(identity, ofProject('metricGroup'));
    for (const of of testsetIds)
      yield* testcases.exportTestcasesPart(identity, { kind: 'testcase', of });
    for (const of of runIds)
      yield* runRecords.exportRunRecordsPart(identity, { kind: 'record', of });
    for (const of of runIds)
      yield* runRecords.exportRunRecordsPart(identity, { kind: 'labelDraw', of });
    yield* attachmentsOf(identity, { projectId, withBytes });
    // A project that was deleted meanwhile has lost parts: its file must not end as a whole one.
    await wholeOf(catalog.exportCatalogPart(identity, ofProject('project')));
  }

  /** The attachments of the sessions that records name. */
  async function* attachmentsOf(
    identity: Identity,
    { projectId, withBytes }: ExportRequest,
  ): AsyncGenerator<Uint8Array> {
    let sessionIds: string[] = [];
    for await (const { sessionId } of readSessions(
      runRecords.exportRunRecordsPart(identity, { kind: 'session', of: projectId }),
    )) {
      if (sessionIds.push(sessionId) < sessionsAtOnceMax) continue;
      yield* sessions.exportAttachments(identity, { sessionIds, withBytes });
      sessionIds = [];
    }
    if (sessionIds.length > 0)
      yield* sessions.exportAttachments(identity, { sessionIds, withBytes });
  }

  async function* fileOf(
    identity: Identity,
    request: ExportRequest,
    project: Buffer,
  ): AsyncGenerator<Uint8Array> {
    const { organizationId } = identity;
    const hash = createHash('sha256');
    let lines = 0;
    const header = {
      kind: 'header',
      format: projectFormat,
      version: formatVersion,
      exportedAt: now().toISOString(),
      signer: signatures.signerOf(organizationId),
    };
    async function* counted(chunks: AsyncIterable<Uint8Array>) {
      for await (const chunk of chunks) {
        hash.update(chunk);
        for (let at = chunk.indexOf(lineBreak); at >= 0; at = chunk.indexOf(lineBreak, at + 1))
          lines += 1;
        yield chunk;
      }
    }
    yield* counted(inOrder([Buffer.from(`${JSON.stringify(header)}\n`), project]));
    yield* counted(partsOf(identity, request));
    const whole = { lines, sha256: hash.digest('hex') };
    const signature = signatures.sign(organizationId, whole);
    yield Buffer.from(`${JSON.stringify({ kind: 'end', ...whole, signature })}\n`);
  }

  return {
    /**
     * A fault before the first byte is answered like any other failure; a later one ends the
     * connection, and the file has no end line.
     */
    async exportProject(identity: Identity, request: ExportRequest): Promise<StreamReply> {
      const { projectId } = request;
      const project = await wholeOf(
        catalog.exportCatalogPart(identity, { kind: 'project', of: projectId }),
      );
      return {
        contentType: 'application/x-ndjson',
        headers: { 'content-disposition': `attachment; filename="project-${projectId}.ndjson"` },
        stream: fileOf(identity, request, project),
      };
    },
  };
}

async function* inOrder(chunks: Uint8Array[]): AsyncGenerator<Uint8Array> {
  yield* chunks;
}

async function wholeOf(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = [];
  for await (const chunk of chunks) parts.push(chunk);
  return Buffer.concat(parts);
}

/** Passes lines on, and notes the id of each. */
async function* noting(
  ids: string[],
  chunks: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array> {
  for await (const line of readLines(chunks, lineBytesMax)) {
    const { id, expired } = JSON.parse(line.toString()) as { id: string; expired?: object };
    // An expired run has nothing below its own line.
    if (!expired) ids.push(id);
    yield Buffer.concat([line, Buffer.from('\n')]);
  }
}
