import type { Client, LineReply } from '@assay/client/client';
import { writeJson } from '@assay/json/write';
import type { AnnotationEntity, Entity, RecordEntity, ScoreEntity } from '../entity.ts';
import { createBatches } from './batches.ts';
import type { ImportedRun, Progress } from './report.ts';

export interface RunTarget {
  /** Undefined in a dry run whose run is not there yet. */
  id: string | undefined;
  report: ImportedRun;
}

interface CollectedRecord {
  record: RecordEntity;
  /** By their metrics: the last of a metric counts. */
  scores: Map<string, ScoreEntity>;
  annotations: AnnotationEntity[];
}

type Annotation = Record<keyof Pick<AnnotationEntity, 'rating' | 'comment'>, unknown>;

/** The records of an import on their way, each with its scores and annotations, which follow it. */
export function createRecords({
  client,
  runs,
  metricIdOf,
  testcaseIdOf,
  dryRun,
  lose,
  progress,
}: {
  client: Client;
  runs: ReadonlyMap<string, RunTarget>;
  metricIdOf: (ref: string) => string | undefined;
  testcaseIdOf: (testset: string, key: string) => string | undefined;
  dryRun: boolean;
  lose: (reason: string) => void;
  progress: (sent: Progress) => void;
}) {
  const uploads = new Map(
    [...runs].flatMap(([ref, { id, report }]) =>
      id === undefined || dryRun ? [] : [[ref, uploadTo(id, report)] as const],
    ),
  );
  /** The last record of each run. */
  const open = new Map<string, CollectedRecord>();
  /** Scores and annotations of a record that was no longer the last one of its run. */
  const late: (ScoreEntity | AnnotationEntity)[] = [];
  const recordIds = new Map([...runs.keys()].map((ref) => [ref, new Map<string, string>()]));
  const annotated: { recordId: string; annotations: AnnotationEntity[] }[] = [];
  let annotations = 0;
  let count = 0;
  let stored = 0;
  let told = 0;

  /** Says how many are stored: also where the next one could not be. */
  function tell(): void {
    if (stored === told && count % 100 !== 0) return;
    told = stored;
    progress({ kind: 'records', count, stored });
  }

  function uploadTo(runId: string, report: ImportedRun) {
    return createBatches<CollectedRecord>({
      send: (lines, headers) =>
        client.sendLines('POST', '/runs/:runId/records/bulk', lines, {
          params: { runId },
          headers,
        }),
      lineOf: ({ record, scores }) => lineOf(record, [...scores.values()]),
      answered: (item, answer) => counted(report, item, answer),
    });
  }

  function lineOf(record: RecordEntity, scores: ScoreEntity[]): string {
    const { kind: _kind, run: _run, testset, testcaseKey, ...body } = record;
    const testcaseId =
      testset !== undefined && testcaseKey !== undefined
        ? testcaseIdOf(testset, testcaseKey)
        : undefined;
    const sent = scores.flatMap(({ metric, score }) => {
      const metricId = metricIdOf(metric);
      return metricId === undefined ? [] : [{ metricId, score }];
    });
    return writeJson({
      ...body,
      ...(testcaseId === undefined ? {} : { testcaseId }),
      ...(sent.length > 0 ? { scores: sent } : {}),
    });
  }

  function counted(report: ImportedRun, item: CollectedRecord, answer: LineReply): void {
    const { status, id, code, message } = answer;
    if (status >= 400) {
      report.refused += 1;
      lose(`A record of the run "${report.name}" was refused: ${code}: ${message}`);
      return;
    }
    stored += 1;
    if (status === 201) report.created += 1;
    else report.existing += 1;
    if (status === 201) report.scores += item.scores.size;
    if (id === undefined) return;
    recordIds.get(item.record.run)!.set(item.record.clientId, id);
    if (item.annotations.length > 0)
      annotated.push({ recordId: id, annotations: item.annotations });
  }

  async function close(run: string): Promise<void> {
    const collected = open.get(run);
    open.delete(run);
    if (!collected) return;
    count += 1;
    const upload = uploads.get(run);
    if (upload) await upload.add(collected).finally(tell);
    else {
      const { report } = runs.get(run)!;
      report[report.isNew ? 'created' : 'existing'] += 1;
      if (report.isNew) report.scores += collected.scores.size;
      annotations += report.isNew ? collected.annotations.length : 0;
      tell();
    }
    await annotate();
  }

  /** Adds the annotations that a record does not have: those of an earlier import are there. */
  async function annotate(): Promise<void> {
    for (const { recordId, annotations: wanted } of annotated.splice(0)) {
      const params = { recordId };
      const { data } = await client.request('GET', '/records/:recordId/annotations', { params });
      for (const { rating, comment } of wanted) {
        if (data.some((own) => isSame(own, { rating, comment }))) continue;
        const body = { rating, comment };
        await client.request('POST', '/records/:recordId/annotations', { params, body });
        annotations += 1;
      }
    }
  }

  async function sendLate(
    ref: string,
    runId: string | undefined,
    report: ImportedRun,
  ): Promise<void> {
    if (runId === undefined || dryRun) return;
    const own = late.filter(({ run }) => run === ref);
    const batches = createBatches<ScoreEntity>({
      send: (lines, headers) =>
        client.sendLines('PUT', '/runs/:runId/scores/bulk', lines, { params: { runId }, headers }),
      lineOf: ({ record, metric, score }) =>
        JSON.stringify({
          recordId: recordIds.get(ref)!.get(record),
          metricId: metricIdOf(metric),
          score,
        }),
      answered(_score, { status, code, message }) {
        if (status < 400) report.scores += 1;
        else lose(`A score of the run "${report.name}" was refused: ${code}: ${message}`);
      },
    });
    for (const entity of own) {
      const recordId = recordIds.get(ref)!.get(entity.record);
      if (recordId === undefined) continue;
      if (entity.kind === 'score') await batches.add(entity);
      else annotated.push({ recordId, annotations: [entity] });
    }
    await batches.flush();
  }

  return {
    annotations: () => annotations,
    async add(entity: Entity): Promise<void> {
      if (entity.kind === 'record') {
        await close(entity.run);
        open.set(entity.run, { record: entity, scores: new Map(), annotations: [] });
      }
      if (entity.kind !== 'score' && entity.kind !== 'annotation') return;
      const last = open.get(entity.run);
      if (last?.record.clientId !== entity.record) late.push(entity);
      else if (entity.kind === 'score') last.scores.set(entity.metric, entity);
      else last.annotations.push(entity);
    },
    async finish(): Promise<void> {
      for (const run of [...open.keys()]) await close(run);
      for (const { flush } of uploads.values()) await flush().finally(tell);
      for (const [ref, { id, report }] of runs) await sendLate(ref, id, report);
      await annotate();
    },
  };
}

const isSame = (one: Partial<Annotation>, other: Partial<Annotation>): boolean =>
  (one.rating ?? null) === (other.rating ?? null) &&
  (one.comment ?? null) === (other.comment ?? null);
