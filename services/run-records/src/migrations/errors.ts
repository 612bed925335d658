import { cutError } from '@assay/contracts/cut-text';
import type { Database } from '@assay/runtime/mongo/database';
import { outcomesOf } from '../domain/accounts/outcomes.ts';
import {
  type Account,
  accountOf,
  countedAs,
  differenceOf,
  erroredStates,
  type ScoreStates,
  scoreStatesOf,
  sumOf,
} from '../domain/accounts/score-states.ts';

/** Records that one transaction changes. */
const changedAtOnceMax = 250;

/** An error object among a record's outputs is small; anything larger is an answer. */
const errorBytesMax = 64 * 1024;

interface Run {
  _id: string;
  organizationId: string;
  metrics: Parameters<typeof outcomesOf>[0];
}

interface StoredRecord extends ScoreStates {
  _id: string;
  outcomes?: ReturnType<typeof outcomesOf>;
  kept: { outputs: Uint8Array } | { chunked: { outputs: number } };
}

interface SystemError {
  name?: string;
  message: string;
}

interface Change {
  error?: SystemError;
  hasError?: true;
  states: ScoreStates;
}

/**
 * Gives records an `error` that the packages up to 0.2.0 stored as `outputs.error` with the tag
 * `error`: nobody is asked for their missing scores any more, and the failed ones become errored.
 * Scores stay that were made, and so do the outputs. Counts scores that do not fit their metric as
 * invalid. Each batch is one transaction, and a record that was changed is not found again.
 */
export async function giveErrors(database: Database): Promise<void> {
  const records = database.collection<StoredRecord>('records');
  for await (const run of database.collection<Run>('runs').find({})) {
    const ofRun = { organizationId: run.organizationId, runId: run._id };
    await changeEach(database, run, {
      found: records.find({ ...ofRun, 'tags.text': 'error', error: { $exists: false } } as never),
      change: async (record) => {
        const error = await errorIn(database, record);
        return error && { error, hasError: true, states: erroredStates(record) };
      },
    });
    for (const { metricVersionId } of run.metrics)
      await changeEach(database, run, {
        found: records.find({
          ...ofRun,
          outcomes: { $exists: true, $elemMatch: { metricVersionId, outcome: 'unfit' } },
        } as never),
        change: async (record) => ({ states: scoreStatesOf(record) }),
      });
  }
}

async function changeEach(
  database: Database,
  run: Run,
  {
    found,
    change,
  }: {
    found: AsyncIterable<StoredRecord>;
    change: (record: StoredRecord) => Promise<Change | undefined>;
  },
): Promise<void> {
  let batch: [StoredRecord, Change][] = [];
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
  batch: [StoredRecord, Change][],
): Promise<void> {
  const records = database.collection<StoredRecord>('records');
  const counters = database.collection<Account & { _id: string }>('run_counters');
  await database.transaction(async () => {
    const differences = [];
    for (const [record, { states, ...fields }] of batch) {
      const { outcomes: before, pending, awaited, failures, scores } = record;
      const outcomes = outcomesOf(run.metrics, states);
      // Somebody may have changed the record since it was read. Then its counts are those of then.
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

/** The error that a package stored as the whole of a record's outputs. */
async function errorIn(database: Database, record: StoredRecord): Promise<SystemError | undefined> {
  const bytes = await outputsOf(database, record);
  if (!bytes || bytes.length > errorBytesMax) return undefined;
  const { error } = JSON.parse(Buffer.from(bytes).toString());
  if (typeof error?.message !== 'string') return undefined;
  const { name, message } = error;
  return cutError({ name: typeof name === 'string' ? name : undefined, message });
}

/** Outputs that are small enough to be an error; of a large record they are one chunk. */
async function outputsOf(
  database: Database,
  { _id, kept }: StoredRecord,
): Promise<Uint8Array | undefined> {
  if ('outputs' in kept) return kept.outputs;
  if (kept.chunked.outputs > errorBytesMax) return undefined;
  const chunks = database.collection<{ _id: string; bytes: Uint8Array }>('record_chunks');
  return (await chunks.findOne({ _id: `${_id}:outputs:0000` }))?.bytes;
}
