import type { Identity } from '@assay/contracts/define';
import { conflict, invalidAt } from '@assay/contracts/failure';
import { importedPeopleAtOnceMax } from '@assay/contracts/identity';
import {
  type Line,
  type LineKind,
  lineFormat,
  lineSchemas,
  sweptAway,
} from '@assay/contracts/project-file';
import { testcaseAnnotationsMax } from '@assay/contracts/testcases';
import { createLineReader } from '@assay/runtime/uploads/line-reader';
import { withAuthors } from './authors.ts';
import { type BatchOwner, createBatches } from './batches.ts';
import { createConverters } from './convert.ts';
import type { Dependencies, Owners } from './dependencies.ts';
import { createMembers } from './members.ts';
import { createMonitoredMetrics } from './monitored-metrics.ts';
import { createNewIds } from './new-ids.ts';
import { parseLine } from './read-line.ts';
import { createSentAttachments, noAttachments } from './sent-attachments.ts';

/** An import is prolonged this often, in ms. */
const prolongEveryMs = 60_000;

/** The kinds of lines that a file may have after its project, but for its end. */
type PartKind = Exclude<LineKind, 'header' | 'project' | 'end'>;

const ownerOf: Record<
  Exclude<PartKind, 'member' | 'attachment' | 'attachmentBytes'>,
  BatchOwner
> = {
  testset: 'catalog',
  testcase: 'testcases',
  testcaseAnnotation: 'testcases',
  system: 'systems',
  systemVersion: 'systems',
  metric: 'metrics',
  metricVersion: 'metrics',
  metricGroup: 'metrics',
  monitor: 'traces',
  run: 'runRecords',
  record: 'runRecords',
  annotation: 'runRecords',
  labelDraw: 'runRecords',
  pairwiseComparison: 'scoring',
  pairJudgement: 'scoring',
};

export type RestoredProject = Awaited<ReturnType<typeof createRestoredProject>>;

/** Begins the import of a project, and stores its lines where nobody sees them. */
export async function createRestoredProject(
  { owners, newId, now, warn }: Dependencies,
  identity: Identity,
  {
    line,
    name,
    keyId,
    areAuthorsBelieved,
  }: {
    line: Line<'project'>;
    name: string;
    keyId: string | null;
    areAuthorsBelieved: boolean;
  },
) {
  const import_ = await owners.catalog.beginImport(identity, {
    projectId: newId(),
    name,
    description: line.description,
    traceRetentionDays: line.traceRetentionDays,
    runRetentionDays: line.runRetentionDays,
    idSecret: newId() + newId(),
    keyId,
  });
  const { outcome, projectId, idSecret } = import_;
  if (outcome === 'underWay')
    throw conflict('The first request with this Idempotency-Key is still under way.', {
      retryAfterSeconds: 1,
    });
  const isRepeat = outcome === 'finished';
  let isOpen = !isRepeat;
  const newIdOf = createNewIds(idSecret);
  const members = createMembers({
    own: await ownMembers(owners, identity),
    newIdOf,
    importerId: identity.userId,
    areAuthorsBelieved,
  });
  const matches = { id: 0, email: 0, none: 0, imported: 0 };
  const convert = createConverters({ newIdOf, members });
  const batches = createBatches({ owners, identity, projectId, isDry: isRepeat });
  const sentAttachments = createSentAttachments({
    sessions: owners.sessions,
    identity,
    projectId,
  });
  let attachments = import_.attachments ?? noAttachments;
  const testsetIds = new Set<string>();
  const runIds = new Set<string>();
  const monitoredMetrics = createMonitoredMetrics();
  let testcase = { id: '', testsetId: '', annotations: 0 };
  let recordId = '';
  let comparisonId = '';
  let prolongedAt = now().getTime();

  async function prolong(): Promise<void> {
    if (isRepeat || now().getTime() - prolongedAt < prolongEveryMs) return;
    prolongedAt = now().getTime();
    await owners.catalog.prolongImport(identity, { projectId });
  }

  /** A line must follow its owner. All other references may lead anywhere, but for a monitor's. */
  function checkOrder(part: Line<Exclude<PartKind, 'attachment' | 'attachmentBytes'>>): void {
    if (part.kind === 'testset') testsetIds.add(part.id);
    else if (part.kind === 'testcase')
      testcase = { id: part.id, testsetId: part.testsetId, annotations: 0 };
    else if (part.kind === 'run') runIds.add(part.id);
    else if (part.kind === 'record') recordId = part.id;
    else if (part.kind === 'pairwiseComparison') comparisonId = part.id;
    if (part.kind === 'testcase' && !testsetIds.has(part.testsetId))
      throw invalidAt('/testsetId', 'must be the id of a testset that an earlier line has');
    if (part.kind === 'testcaseAnnotation') checkTestcaseAnnotation(part);
    if (part.kind === 'record' && !runIds.has(part.runId))
      throw invalidAt('/runId', 'must be the id of a run that an earlier line has');
    if (part.kind === 'annotation' && part.recordId !== recordId)
      throw invalidAt('/recordId', 'must be the id of the record before it');
    if (part.kind === 'pairJudgement' && part.comparisonId !== comparisonId)
      throw invalidAt('/comparisonId', 'must be the id of the comparison before it');
  }

  function checkTestcaseAnnotation(part: Line<'testcaseAnnotation'>): void {
    if (part.testcaseId !== testcase.id)
      throw invalidAt('/testcaseId', 'must be the id of the testcase before it');
    if (part.testsetId !== testcase.testsetId)
      throw invalidAt('/testsetId', 'must be the testset of the testcase before it');
    testcase.annotations += 1;
    if (testcase.annotations > testcaseAnnotationsMax)
      throw invalidAt(
        '',
        `would be more than the ${testcaseAnnotationsMax} annotations of a testcase`,
      );
  }

  /** A blank line tells the client that the import goes on. */
  async function addAttachment(raw: Buffer): Promise<string> {
    if (isRepeat) return '';
    await sentAttachments.add(raw);
    await prolong();
    return '\n';
  }

  function noteMember(member: Line<'member'>): string {
    const { to, match } = members.note(member);
    matches[match] += 1;
    return answer({ kind: 'member', from: member.userId, to, match });
  }

  async function noteImportedPeople(): Promise<void> {
    const people = members.imported();
    for (let from = 0; from < people.length; from += importedPeopleAtOnceMax)
      await owners.identity.noteImportedPeople(identity, {
        projectId,
        people: people.slice(from, from + importedPeopleAtOnceMax),
      });
  }

  return {
    isRepeat,
    begun: answer({ kind: 'project', from: line.id, to: projectId }),
    /** Takes the line of this number. Returns the part of the answer that is ready. */
    async add(kind: PartKind, raw: Buffer, lineNumber: number): Promise<string> {
      if (kind === 'attachment' || kind === 'attachmentBytes') return addAttachment(raw);
      const part = await parseLine(kind, raw);
      if (part.kind === 'member') return noteMember(part);
      checkOrder(part);
      if (part.kind === 'metric' || part.kind === 'metricVersion' || part.kind === 'monitor')
        monitoredMetrics.note(part, lineNumber);
      const converted: { kind: LineKind; id?: string } = withAuthors(
        convert[part.kind](part as never),
        members.author,
      );
      const said = 'id' in part ? answer({ kind, from: part.id, to: converted.id }) : '';
      const ready = await batches.add(ownerOf[part.kind], converted, {
        number: lineNumber,
        said,
      });
      await prolong();
      return ready;
    },
    /**
     * Stores all lines that are not stored yet.
     * @throws VALIDATION_ERROR where a monitor names a metric that no line has.
     */
    async flush(): Promise<string> {
      monitoredMetrics.check();
      return batches.flush();
    },
    /** Shows the project. @throws CONFLICT where it was swept away. */
    async finish(sha256: string): Promise<void> {
      if (isRepeat) {
        if (import_.sha256 !== sha256)
          throw conflict('This Idempotency-Key was used with another file.');
        return;
      }
      attachments = await sentAttachments.finish();
      await owners.systems.revealSystemsPart(identity, { projectId });
      await owners.metrics.revealMetricsPart(identity, { projectId });
      await owners.runRecords.revealRunRecordsPart(identity, { projectId });
      await owners.scoring.revealScoringPart(identity, { projectId });
      await owners.traces.revealTracesPart(identity, { projectId });
      await owners.sessions.revealAttachments(identity, { projectId });
      // Last: an admin may map them from now on, and all that they made is there.
      await noteImportedPeople();
      const { found } = await owners.catalog.finishImport(identity, {
        projectId,
        sha256,
        attachments,
      });
      if (!found) throw sweptAway();
      isOpen = false;
    },
    outcome: () => ({ projectId, members: matches, attachments }),
    /** Deletes all that was stored. If catalog cannot be told, its sweep does it. */
    async abandon(): Promise<void> {
      if (!isOpen) return;
      isOpen = false;
      await Promise.all([batches.settle(), sentAttachments.abandon()]);
      await owners.catalog
        .abandonImport(identity, { projectId })
        .catch((error) => warn(error, 'an import that failed will be swept away later'));
    },
  };
}

const answer = (line: object): string => `${JSON.stringify(line)}\n`;

const { member } = lineSchemas;
const readMembers = createLineReader({ schemas: { member }, ...lineFormat });

async function ownMembers({ identity: members }: Owners, identity: Identity) {
  const own: Line<'member'>[] = [];
  for await (const line of readMembers(
    members.exportIdentityPart(identity, { kind: 'member', of: '' }),
  ))
    own.push(line);
  return own;
}
