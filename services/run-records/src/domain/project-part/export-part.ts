import type { Identity } from '@assay/contracts/define';
import { JsonText } from '@assay/contracts/payload';
import {
  type ExportedPart,
  type LineToWrite,
  lineSchemas,
  sessionLine,
} from '@assay/contracts/project-file';
import { createLineWriter, linesReply } from '@assay/runtime/http/lines';
import type { StoredAnnotation } from '../../store/annotations.ts';
import type { ExportedRecord, ImportedRun } from '../../store/project-part.ts';
import type { StoredScore } from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';
import { labelsOf } from '../runs/labels.ts';
import type { Runs } from '../runs/runs.ts';

const { run, record, annotation, labelDraw } = lineSchemas;
const write = createLineWriter({ run, record, annotation, labelDraw, session: sessionLine });

/** An annotation is of at most so many of a record. */
const annotationsMax = 10_000;

/** Hands out the runs of a project, and the records and draws of each. */
export function createExportPart({ store, runs }: Pick<Dependencies, 'store'> & { runs: Runs }) {
  async function* runsOf(
    { organizationId }: Identity,
    projectId: string,
  ): AsyncGenerator<LineToWrite<'run'>> {
    for await (const found of store.parts.listRuns(organizationId, projectId))
      yield runLineOf(found);
  }

  /** Each record, and its annotations after it. */
  async function* recordsOf(
    identity: Identity,
    runId: string,
  ): AsyncGenerator<LineToWrite<'record' | 'annotation'>> {
    const { organizationId } = identity;
    for await (const found of store.parts.listRecords(organizationId, runId)) {
      yield recordLineOf(found);
      if (!found.hasAnnotations) continue;
      const annotations = await store.annotations.list(organizationId, found.id, annotationsMax);
      for (const annotation of annotations) yield annotationLineOf(annotation);
    }
    // A run that was deleted meanwhile, or has expired since its line was written, lost records that
    // were not sent yet: its lines must not end as those of a whole one do.
    await runs.runOf(identity, runId);
  }

  async function* drawsOf(
    { organizationId }: Identity,
    runId: string,
  ): AsyncGenerator<LineToWrite<'labelDraw'>> {
    for await (const draw of store.labelDraws.listOfBaseline(organizationId, runId))
      yield { kind: 'labelDraw', ...draw };
  }

  async function* sessionsOf({ organizationId }: Identity, projectId: string) {
    for await (const sessionId of store.parts.listSessions(organizationId, projectId))
      yield { kind: 'session' as const, sessionId };
  }

  function linesOf(identity: Identity, { kind, of: id }: ExportedPart) {
    if (kind === 'run') return write(runsOf(identity, id));
    if (kind === 'record') return write(recordsOf(identity, id));
    if (kind === 'session') return write(sessionsOf(identity, id));
    return write(drawsOf(identity, id));
  }

  return {
    async exportPart(identity: Identity, part: ExportedPart) {
      return linesReply(linesOf(identity, part));
    },
  };
}

function runLineOf({
  run: {
    projectId: _projectId,
    changedAt: _changedAt,
    closingAt: _closingAt,
    createdAt,
    labels,
    stopping,
    part,
    expired,
    ...run
  },
  ...costs
}: ImportedRun): LineToWrite<'run'> {
  const decision = stopping?.decision;
  return {
    kind: 'run',
    ...run,
    ...costs,
    createdAt: createdAt.toISOString(),
    labels: labelsOf(labels),
    part: part && {
      ...part,
      where: part.where === undefined ? undefined : new JsonText(part.where),
    },
    expired: expired && {
      ...expired,
      at: expired.at.toISOString(),
      results: JSON.parse(expired.results),
    },
    stopping: stopping && {
      ...stopping,
      decision: decision && { ...decision, at: decision.at.toISOString() },
    },
  };
}

const recordLineOf = ({
  hasAnnotations: _hasAnnotations,
  createdAt,
  metadata,
  tags,
  assignees,
  scores,
  failures,
  ...record
}: ExportedRecord): LineToWrite<'record'> => ({
  kind: 'record',
  ...record,
  createdAt: createdAt.toISOString(),
  metadata: metadata === undefined ? undefined : new JsonText(Buffer.from(metadata)),
  tags: tags.map(withInstant),
  assignees: assignees.map(withInstant),
  scores: scores.map(scoreOf),
  failures: failures.map(({ at, ...failure }) => ({ ...failure, at: at.toISOString() })),
});

const scoreOf = ({ text, createdAt, ...score }: StoredScore) => ({
  ...score,
  score: new JsonText(Buffer.from(text)),
  createdAt: createdAt.toISOString(),
});

const annotationLineOf = ({
  comparedRecordId,
  editedAt,
  ...annotation
}: StoredAnnotation): LineToWrite<'annotation'> => ({
  kind: 'annotation',
  ...withInstant(annotation),
  ...(comparedRecordId ? { comparedRecordId } : {}),
  ...(editedAt ? { editedAt: editedAt.toISOString() } : {}),
});

const withInstant = <Item extends { createdAt: Date }>({ createdAt, ...item }: Item) => ({
  ...item,
  createdAt: createdAt.toISOString(),
});
