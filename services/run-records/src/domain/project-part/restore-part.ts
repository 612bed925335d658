import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import { type Line, lineFormat, lineSchemas, sweptAway } from '@assay/contracts/project-file';
import { isValueOf, scaleIssues, statedScale, valueInWords } from '@assay/contracts/scale';
import { createLineReader } from '@assay/runtime/uploads/line-reader';
import type { StoredAnnotation } from '../../store/annotations.ts';
import type { AddOutcome, ImportedRecord, ImportedRun } from '../../store/project-part.ts';
import type { ExpiredRun, RunPart, StoredRun } from '../../store/runs.ts';
import type { Dependencies } from '../dependencies.ts';
import type { RecordQuota } from '../records/record-quota.ts';
import { labelTexts } from '../runs/labels.ts';

const { run, record, annotation, labelDraw } = lineSchemas;
const read = createLineReader({ schemas: { run, record, annotation, labelDraw }, ...lineFormat });

/** Takes in the runs of a project that is being imported, with their records as they were. */
export function createRestorePart({
  store,
  quota,
}: Pick<Dependencies, 'store'> & { quota: RecordQuota }) {
  async function restoreRecords(
    organizationId: string,
    projectId: string,
    lines: Line<'record'>[],
  ): Promise<void> {
    if (lines.length === 0) return;
    const found = await store.parts.arrivingRuns(
      organizationId,
      projectId,
      lines.map(({ runId }) => runId),
    );
    if (!found) throw sweptAway();
    for (const line of lines) {
      const run = found.get(line.runId)!;
      if (run.expired) throw invalidAt('/runId', 'is a run that has expired, and has no records');
      checkValues(line, run);
      await quota.check(organizationId);
    }
    checkOutcome(
      await store.parts.addRecords(organizationId, projectId, lines.map(toRecord)),
      'has the clientId, otelLinkId or id of an earlier record, too',
    );
  }

  return {
    /** Lines of one request: runs go first, and annotations after the records that they name. */
    async restorePart(
      { organizationId }: Identity,
      projectId: string,
      stream: AsyncIterable<Uint8Array>,
    ) {
      const runs: ImportedRun[] = [];
      const records: Line<'record'>[] = [];
      const annotations: StoredAnnotation[] = [];
      const draws: Line<'labelDraw'>[] = [];
      for await (const line of read(stream)) {
        if (line.kind === 'run') runs.push(toImportedRun(projectId, line));
        else if (line.kind === 'record') records.push(line);
        else if (line.kind === 'annotation') annotations.push(toAnnotation(line));
        else draws.push(line);
      }
      if (runs.length > 0) {
        checkOutcome(await store.parts.addRuns(organizationId, projectId, runs), '');
        for (const { run } of runs) await store.runResults.keepOfExpired(organizationId, run);
      }
      await restoreRecords(organizationId, projectId, records);
      if (annotations.length > 0) await store.parts.addAnnotations(organizationId, annotations);
      for (const { kind: _kind, ...draw } of draws)
        await store.labelDraws.restore(organizationId, { ...draw, keyIds: [] });
      return { lines: runs.length + records.length + annotations.length + draws.length };
    },

    async revealPart({ organizationId }: Identity, projectId: string) {
      await store.parts.reveal(organizationId, projectId);
      return {};
    },
  };
}

function checkOutcome(outcome: AddOutcome, isTaken: string): void {
  if (outcome === 'gone') throw sweptAway();
  if (outcome === 'taken') throw invalidAt('', isTaken);
}

/** A value that summaries count must be one of its metric. */
function checkValues({ scores }: Line<'record'>, { metrics }: StoredRun): void {
  for (const [index, { metricVersionId, value }] of scores.entries()) {
    const metric = metrics.find((each) => each.metricVersionId === metricVersionId);
    if (metric && value !== null && !isValueOf(metric, value))
      throw invalidAt(`/scores/${index}/value`, `must be ${valueInWords(metric)}`);
  }
}

/** The scales of a run's metrics, from which its figures are made. */
function checkScales(metrics: Line<'run'>['metrics']): void {
  for (const [index, metric] of metrics.entries()) {
    const [issue] = scaleIssues(metric);
    if (issue) throw invalidAt(`/metrics/${index}${issue.path}`, issue.message);
  }
}

function toImportedRun(
  projectId: string,
  {
    kind: _kind,
    createdAt,
    labels,
    stopping,
    part,
    repeats,
    costNanoUsd,
    cachedAnswers,
    metrics,
    expired,
    ...run
  }: Line<'run'>,
): ImportedRun {
  checkScales(metrics);
  return {
    run: {
      ...run,
      projectId,
      metrics: metrics.map(({ subject, min, max, lowerIsBetter, ...metric }) => ({
        ...metric,
        ...statedScale({ outputType: metric.outputType, min, max, lowerIsBetter }),
        ...(subject === undefined ? {} : { subject }),
      })),
      createdAt: new Date(createdAt),
      labels: labelTexts(labels),
      ...(part === undefined ? {} : { part: toPart(part) }),
      ...(repeats === undefined ? {} : { repeats }),
      ...(stopping === undefined ? {} : { stopping: toStopping(stopping) }),
      ...(expired === undefined ? {} : { expired: toExpired(expired) }),
    },
    costNanoUsd,
    cachedAnswers,
  };
}

const toPart = ({ numTestcases, of, where, keys }: NonNullable<Line<'run'>['part']>): RunPart => ({
  numTestcases,
  of,
  ...(where === undefined ? {} : { where: where.toString() }),
  ...(keys === undefined ? {} : { keys }),
});

const toExpired = ({ at, counts, results }: NonNullable<Line<'run'>['expired']>): ExpiredRun => ({
  at: new Date(at),
  counts,
  results: JSON.stringify(results),
});

const toStopping = ({ decision, ...stopping }: NonNullable<Line<'run'>['stopping']>) => ({
  ...stopping,
  ...(decision ? { decision: { ...decision, at: new Date(decision.at) } } : {}),
});

function toRecord({
  kind: _kind,
  inputs,
  expected,
  outputs,
  createdAt,
  metadata,
  tags,
  assignees,
  scores,
  failures,
  ...record
}: Line<'record'>): ImportedRecord {
  return {
    ...(record as Omit<
      ImportedRecord,
      'payloads' | 'createdAt' | 'tags' | 'assignees' | 'scores' | 'failures'
    >),
    payloads: { inputs, expected, outputs },
    createdAt: new Date(createdAt),
    ...(metadata === undefined ? {} : { metadata: metadata.toString() }),
    tags: tags.map(withDate),
    assignees: assignees.map(withDate),
    scores: scores.map(({ score, ...own }) => ({
      ...withDate(own),
      text: score.toString(),
    })) as never,
    failures: failures.map(({ at, ...failure }) => ({ ...failure, at: new Date(at) })),
  };
}

const toAnnotation = ({
  kind: _kind,
  editedAt,
  comparedRecordId,
  ...annotation
}: Line<'annotation'>): StoredAnnotation => ({
  ...withDate(annotation),
  ...(comparedRecordId ? { comparedRecordId } : {}),
  ...(editedAt ? { editedAt: new Date(editedAt) } : {}),
});

const withDate = <Item extends { createdAt: string }>({ createdAt, ...item }: Item) => ({
  ...item,
  createdAt: new Date(createdAt),
});
