import type { SystemError } from '@assay/contracts/run-records';
import type { Database } from '@assay/runtime/mongo/database';
import type { Document } from 'mongodb';
import { outcomesOf } from '../domain/accounts/outcomes.ts';
import {
  type Account,
  accountOf,
  differenceOf,
  type ScoreStates,
  scoreStatesOf,
  sumOf,
  without,
} from '../domain/accounts/score-states.ts';
import { createPayloadStore, type PayloadStore } from '../store/payloads.ts';
import { countedAs, type RecordDocument } from '../store/record.ts';

/** Records that one transaction changes. */
const changedAtOnceMax = 250;

/** An error object among a record's outputs is small: what is larger is an answer. */
const errorBytesMax = 64 * 1024;

type Run = Document & { _id: string; organizationId: string };

/**
 * Gives records an `error` that the packages up to 0.2.0 stored as `outputs.error` with the tag
 * `error`: nobody is asked for their missing scores any more, and the failed ones become errored.
 * What was scored stays, and so do the outputs. Counts scores that do not fit their metric as
 * invalid. Each batch is one transaction, and a record that was changed is not found again.
 */
export async function giveErrors(database: Database): Promise<void> {
  const records = database.collection<RecordDocument>('records');
  const payloads = createPayloadStore(database);
  const runs = database.collection<Run>('runs');
  for await (const run of runs.find({})) {
    const ofRun = { organizationId: run.organizationId, runId: run._id };
    await changeEach(database, run, {
      found: records.find({ ...ofRun, 'tags.text': 'error', error: { $exists: false } }),
      change: async (record) => {
        const error = await errorIn(payloads, record);
        return error && { error, hasError: true, states: erroredStates(record) };
      },
    });
    for (const { metricVersionId } of run.metrics)
      await changeEach(database, run, {
        found: records.find({
          ...ofRun,
          outcomes: { $exists: true, $elemMatch: { metricVersionId, outcome: 'unfit' } },
        }),
        change: async (record) => ({ states: scoreStatesOf(record) }),
      });
  }
}

interface Change {
  error?: SystemError;
  hasError?: true;
  states: ScoreStates;
}

async function changeEach(
  database: Database,
  run: Run,
  {
    found,
    change,
  }: {
    found: AsyncIterable<RecordDocument>;
    change: (record: RecordDocument) => Promise<Change | undefined>;
  },
): Promise<void> {
  let batch: [RecordDocument, Change][] = [];
  const store = async () => {
    if (batch.length > 0) await storeBatch(database, run, batch);
    batch = [];
  };
  for await (const record of found) {
    const changed = await change(record);
    if (changed && batch.push([record, changed]) === changedAtOnceMax) await store();
  }
  await store();
}

async function storeBatch(
  database: Database,
  run: Run,
  batch: [RecordDocument, Change][],
): Promise<void> {
  const records = database.collection<RecordDocument>('records');
  const counters = database.collection<Account & { _id: string }>('run_counters');
  await database.transaction(async () => {
    const differences = [];
    for (const [record, { states, ...fields }] of batch) {
      const { outcomes: before, pending, awaited, failures, scores } = record;
      const outcomes = outcomesOf(run.metrics, states);
      // Somebody may have changed the record since it was read: then the next start finds it.
      const { modifiedCount } = await records.updateOne(
        { _id: record._id, outcomes: before, pending, awaited, failures, scores } as never,
        {
          $set: { ...states, ...fields, failed: states.failures.length, outcomes },
          ...(states.errored ? { $unset: { sweepAt: '', review: '' } } : {}),
        } as never,
      );
      if (modifiedCount > 0) differences.push(differenceOf(accountOf(states), countedAs(record)));
    }
    await counters.updateOne(
      { _id: `${run._id}:15-errors:0` },
      {
        $inc: { ...sumOf(differences), changes: 1 } as never,
        $setOnInsert: { organizationId: run.organizationId, runId: run._id } as never,
      },
      { upsert: true },
    );
  });
}

/** What was pending, awaited or failed is errored. */
function erroredStates(record: RecordDocument): ScoreStates {
  const before = scoreStatesOf(record);
  const errored = [
    ...before.pending,
    ...before.awaited,
    ...before.failures.map(({ metricVersionId }) => metricVersionId),
  ].filter((id) => !before.scores.some(({ metricVersionId }) => metricVersionId === id));
  return { ...errored.reduce<ScoreStates>(without, before), errored };
}

/** The error that a package stored as the whole of a record's outputs. */
async function errorIn(
  payloads: PayloadStore,
  { _id, kept }: RecordDocument,
): Promise<SystemError | undefined> {
  const { byteLength, read } = payloads.openBytes(_id, kept, 'outputs');
  if (byteLength > errorBytesMax) return undefined;
  const chunks: Uint8Array[] = [];
  for await (const bytes of read(0, byteLength)) chunks.push(bytes);
  const outputs: unknown = JSON.parse(Buffer.concat(chunks).toString());
  const said = isObject(outputs) ? outputs.error : undefined;
  if (!isObject(said) || typeof said.message !== 'string') return undefined;
  return {
    ...(typeof said.name === 'string' && said.name !== '' ? { name: said.name.slice(0, 256) } : {}),
    message: said.message,
  };
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
