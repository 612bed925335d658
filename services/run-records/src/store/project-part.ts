import type { JsonText } from '@assay/contracts/payload';
import { awaitAll } from '@assay/runtime/concurrency/maybe-async';
import { missingOf } from '@assay/runtime/mongo/arriving';
import type { Database } from '@assay/runtime/mongo/database';
import { isDuplicateKey } from '@assay/runtime/mongo/errors';
import { createProjectLock } from '@assay/runtime/mongo/project-lock';
import { accountOf, type ScoreStates, sumOf } from '../domain/accounts/score-states.ts';
import type { StoredAnnotation } from './annotations.ts';
import type { KeptPayloads, PayloadStore, Payloads } from './payloads.ts';
import {
  type Envelope,
  errorFieldOf,
  outcomesFieldOf,
  type RecordDocument,
  recordReader,
  type StoredRecord,
} from './record.ts';
import { reviewOf } from './review.ts';
import { arrivingUntil, type RunDocument, type RunStore, type StoredRun, toRun } from './runs.ts';

/** The fields of a record besides its envelope. */
interface OwnFields {
  contentHash?: string | undefined;
  judgeOrder?: string | undefined;
}

export type ExportedRecord = StoredRecord & OwnFields & { hasAnnotations: boolean };
export type ImportedRecord = Envelope & OwnFields & { payloads: Payloads<JsonText> };

/** A run with the costs of its judges so far. */
export interface ImportedRun {
  run: StoredRun;
  costNanoUsd: number;
  cachedAnswers: number;
}

/** `gone`: the import was swept away. `taken`: two records of a run have one name. */
export type AddOutcome = 'added' | 'gone' | 'taken';

const batchRecordsMax = 250;
const runsAtOnce = 200;

/** The runs of whole projects that are exported or imported. */
export function createPartStore({
  database,
  runs: runStore,
  payloads,
  sweepOf,
}: {
  database: Database;
  runs: RunStore;
  payloads: PayloadStore;
  sweepOf: (states: Pick<ScoreStates, 'pending'>) => { sweepAt?: Date };
}) {
  const runs = database.collection<RunDocument>('runs');
  const records = database.collection<RecordDocument>('records');
  const annotations = database.collection<
    Omit<StoredAnnotation, 'id'> & { _id: string; organizationId: string }
  >('annotations');
  const projectLock = createProjectLock(database);
  const toRecord = recordReader(payloads);

  /** The runs of an import among these; undefined unless all are. */
  async function arrivingRuns(organizationId: string, projectId: string, ids: string[]) {
    const wanted = [...new Set(ids)];
    const found = await runs
      .find({ _id: { $in: wanted }, organizationId, projectId, deletedAt: arrivingUntil })
      .toArray();
    return found.length < wanted.length
      ? undefined
      : new Map(found.map((document) => [document._id, toRun(document)]));
  }

  async function keep(organizationId: string, { id, runId, payloads: sent }: ImportedRecord) {
    return payloads.isLarge(sent)
      ? payloads.keepInChunks(organizationId, { runId, recordId: id }, sent)
      : payloads.inline(sent);
  }

  function documentOf(
    organizationId: string,
    run: StoredRun,
    { id, payloads: _payloads, tags, contentHash, judgeOrder, ...envelope }: ImportedRecord,
    kept: KeptPayloads,
  ): RecordDocument {
    return {
      _id: id,
      organizationId,
      ...envelope,
      ...(tags.length > 0 ? { tags } : {}),
      ...(contentHash === undefined ? {} : { contentHash }),
      ...(judgeOrder === undefined ? {} : { judgeOrder }),
      ...outcomesFieldOf(run, envelope),
      ...errorFieldOf(envelope),
      kept,
      failed: envelope.failures.length,
      ...sweepOf(envelope),
      ...reviewOf(run, envelope, envelope.assignees),
    };
  }

  return {
    /** Yields the runs of a project, oldest first. */
    async *listRuns(organizationId: string, projectId: string): AsyncGenerator<ImportedRun> {
      let some: StoredRun[] = [];
      const counted = async () => {
        const counts = await runStore.countsOf(
          organizationId,
          some.map(({ id }) => id),
        );
        return some.map((run) => {
          const { costNanoUsd, cachedAnswers } = run.expired?.counts ?? counts.get(run.id)!;
          return { run, costNanoUsd, cachedAnswers };
        });
      };
      for await (const document of runs
        .find({ organizationId, projectId, deletedAt: { $exists: false } })
        .sort({ _id: 1 })) {
        if (some.push(toRun(document)) < runsAtOnce) continue;
        yield* await counted();
        some = [];
      }
      yield* await counted();
    },
    /** Yields all records of a run, oldest first. Reads on when the caller asks for more. */
    async *listRecords(organizationId: string, runId: string): AsyncGenerator<ExportedRecord> {
      for await (const document of records
        .find({ organizationId, runId })
        .sort({ _id: 1 })
        .batchSize(batchRecordsMax))
        yield Object.assign(toRecord(document), {
          contentHash: document.contentHash,
          judgeOrder: document.judgeOrder,
          hasAnnotations: document.hasAnnotations === true,
        });
    },

    /** Yields the sessions that the records of a project name, each once. */
    async *listSessions(organizationId: string, projectId: string): AsyncGenerator<string> {
      const within = await runs
        .find(
          {
            organizationId,
            projectId,
            deletedAt: { $exists: false },
            expired: { $exists: false },
          },
          { projection: { _id: 1 } },
        )
        .toArray();
      const runIds = within.map(({ _id }) => _id);
      const found = records.aggregate<{ _id: string }>(
        [
          { $match: { organizationId, runId: { $in: runIds }, sessionId: { $exists: true } } },
          { $group: { _id: '$sessionId' } },
          { $sort: { _id: 1 } },
        ],
        { allowDiskUse: true },
      );
      for await (const { _id } of found) yield _id;
    },

    /** Stores the runs that are not there yet, hidden. */
    async addRuns(
      organizationId: string,
      projectId: string,
      added: ImportedRun[],
    ): Promise<AddOutcome> {
      return database.transaction(async () => {
        if (!(await projectLock.enter(organizationId, projectId, projectId))) return 'gone';
        const byId = added.map((imported) => ({ id: imported.run.id, imported }));
        const scope = { organizationId, projectId };
        const missing = (await missingOf(runs, scope, byId)).map(({ imported }) => imported);
        if (missing.length === 0) return 'added';
        await runs.insertMany(
          missing.map(({ run: { id, ...run } }) => ({
            _id: id,
            organizationId,
            ...run,
            deletedAt: arrivingUntil,
          })),
        );
        for (const { run, costNanoUsd, cachedAnswers } of missing.filter(({ run }) => !run.expired))
          await runStore.count(organizationId, run.id, { costNanoUsd, cachedAnswers });
        return 'added';
      });
    },

    /** The runs that records of an import name; undefined if one of them is none of its runs. */
    arrivingRuns,

    /**
     * Stores the records that are not there yet, with the states of their scores as they are, and
     * counts them.
     */
    async addRecords(
      organizationId: string,
      projectId: string,
      added: ImportedRecord[],
    ): Promise<AddOutcome> {
      const missing = await missingOf(records, { organizationId }, added);
      const kept = await awaitAll(missing.map((record) => keep(organizationId, record)));
      try {
        const many = { documents: missing.length };
        return await database.transaction(async () => {
          const found = await arrivingRuns(
            organizationId,
            projectId,
            added.map(({ runId }) => runId),
          );
          if (!found) return 'gone';
          const documents = missing.map((record, index) =>
            documentOf(organizationId, found.get(record.runId)!, record, kept[index]!),
          );
          if (documents.length > 0) await records.insertMany(documents);
          const large = documents.filter(({ kept }) => 'chunked' in kept);
          await payloads.own(
            organizationId,
            large.map(({ _id }) => _id),
          );
          for (const runId of found.keys()) {
            const ofRun = documents.filter((document) => document.runId === runId);
            if (ofRun.length > 0)
              await runStore.count(organizationId, runId, {
                ...sumOf(ofRun.map(accountOf)),
                records: ofRun.length,
              });
          }
          return 'added';
        }, many);
      } catch (error) {
        if (isDuplicateKey(error)) return 'taken';
        throw error;
      }
    },

    /** Stores the annotations that are not there yet, of records that are. */
    async addAnnotations(organizationId: string, added: StoredAnnotation[]): Promise<void> {
      await database.transaction(async () => {
        const missing = await missingOf(annotations, { organizationId }, added);
        if (missing.length === 0) return;
        await annotations.insertMany(
          missing.map(({ id, passage, ...annotation }) => ({
            _id: id,
            organizationId,
            ...annotation,
            ...(passage ? { passage } : {}),
          })) as never,
        );
        const recordIds = [...new Set(missing.map(({ recordId }) => recordId))];
        await records.updateMany(
          { _id: { $in: recordIds }, organizationId },
          { $set: { hasAnnotations: true } },
        );
      });
    },

    /**
     * Makes the runs of an import visible. One with scores that the service has still to make is
     * paused: no judge is asked, and paid, unless somebody resumes it.
     */
    async reveal(organizationId: string, projectId: string): Promise<void> {
      const arriving = { organizationId, projectId, deletedAt: arrivingUntil };
      await database.transaction(async () => {
        const found = await runs.find(arriving, { projection: { stopping: 1 } }).toArray();
        for (let from = 0; from < found.length; from += runsAtOnce) {
          const ids = found.slice(from, from + runsAtOnce).map(({ _id }) => _id);
          const counts = await runStore.countsOf(organizationId, ids);
          const pendingIds = ids.filter((id) => counts.get(id)!.pending > 0);
          await runs.updateMany(
            { _id: { $in: pendingIds }, organizationId },
            { $set: { isPaused: true } },
          );
        }
        await runs.updateMany(
          { ...arriving, stopping: { $exists: true }, expired: { $exists: false } },
          { $set: { lookAt: new Date() } },
        );
        await runs.updateMany(arriving, { $unset: { deletedAt: '' } });
      });
    },
  };
}
