import type { Database } from '@assay/runtime/mongo/database';
import type { Migration } from '@assay/runtime/mongo/migrations';
import { outcomesOf } from './domain/accounts/outcomes.ts';
import { giveErrors } from './migrations/errors.ts';
import { keepResultsOfExpired } from './migrations/expired-results.ts';

export const migrations: Migration[] = [
  {
    name: '1-indexes',
    up: async (database) => {
      const runs = database.collection('runs');
      await runs.createIndex({ organizationId: 1, projectId: 1, _id: -1 });
      await runs.createIndex({ organizationId: 1, projectId: 1, source: 1, _id: -1 });
      await database.collection('run_counters').createIndex({ organizationId: 1, runId: 1 });

      const records = database.collection('records');
      await records.createIndex({ organizationId: 1, runId: 1, _id: 1 });
      await records.createIndex(
        { organizationId: 1, runId: 1, otelLinkId: 1 },
        { unique: true, partialFilterExpression: { otelLinkId: { $exists: true } } },
      );
      await records.createIndex(
        { organizationId: 1, runId: 1, 'tags.text': 1, _id: 1 },
        { partialFilterExpression: { tags: { $exists: true } } },
      );
      await records.createIndex(
        { organizationId: 1, runId: 1, failed: 1, _id: 1 },
        { partialFilterExpression: { failed: { $gt: 0 } } },
      );
      await records.createIndex({ sweepAt: 1 }, { sparse: true });

      await database.collection('record_chunks').createIndex({ organizationId: 1, runId: 1 });
      await database
        .collection('record_keys')
        .createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
      await database
        .collection('annotations')
        .createIndex({ organizationId: 1, recordId: 1, _id: 1 });
    },
  },
  {
    name: '2-review-queue',
    up: async (database) => {
      const records = database.collection('records');
      const partialFilterExpression = { review: { $exists: true } };
      await records.createIndex(
        { organizationId: 1, 'review.projectId': 1, 'review.for': 1, _id: 1 },
        { partialFilterExpression },
      );
      await records.createIndex(
        { organizationId: 1, runId: 1, 'review.for': 1, _id: 1 },
        { partialFilterExpression },
      );

      const assignees = '$assignees.assigneeUserId';
      const reviewers = { $cond: [{ $eq: [assignees, []] }, ['anyone'], assignees] };
      for await (const { _id: runId, organizationId, projectId, metrics } of database
        .collection('runs')
        .find({ 'metrics.evalType': 'human' })) {
        const human = metrics.filter(({ evalType }: { evalType: string }) => evalType === 'human');
        const awaited = {
          $in: human.map(({ metricVersionId }: { metricVersionId: string }) => metricVersionId),
        };
        await records.updateMany({ organizationId, runId, awaited }, [
          { $set: { review: { projectId, for: { $concatArrays: [['all'], reviewers] } } } },
        ]);
      }
    },
  },
  {
    name: '3-client-ids',
    up: async (database) => {
      await database
        .collection('records')
        .createIndex(
          { organizationId: 1, runId: 1, clientId: 1 },
          { unique: true, partialFilterExpression: { clientId: { $exists: true } } },
        );
    },
  },
  {
    name: '4-deleted-runs',
    up: async (database) => {
      await database.collection('runs').createIndex({ deletedAt: 1 }, { sparse: true });
    },
  },
  {
    name: '5-failures-in-order',
    up: async (database) => {
      const records = database.collection('records');
      await records.createIndex(
        { organizationId: 1, runId: 1, _id: 1, failed: 1 },
        { partialFilterExpression: { failed: { $gt: 0 } } },
      );
      // It had all failures of a run sorted for each page of them.
      const before = 'organizationId_1_runId_1_failed_1__id_1';
      if (await records.indexExists(before)) await records.dropIndex(before);
    },
  },
  {
    name: '6-unfinished-payloads',
    up: async (database) => {
      await database.collection('unfinished_payloads').createIndex({ deletedAt: 1 });
    },
  },
  {
    name: '7-answers',
    up: async (database) => {
      await database.collection('answers').createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
    },
  },
  {
    name: '8-run-filters',
    up: async (database) => {
      const runs = database.collection('runs');
      for (const field of ['labels', 'testsetId', 'systemVersionId', 'createdByUserId'])
        await runs.createIndex({ organizationId: 1, projectId: 1, [field]: 1, _id: -1 });
    },
  },
  {
    name: '9-record-filters',
    up: async (database) => {
      await fillRecordFilters(database);
      const records = database.collection('records');
      await records.createIndex(
        {
          organizationId: 1,
          runId: 1,
          'outcomes.metricVersionId': 1,
          'outcomes.outcome': 1,
          _id: 1,
        },
        { partialFilterExpression: { outcomes: { $exists: true } } },
      );
      await records.createIndex(
        { organizationId: 1, runId: 1, testcaseId: 1, _id: 1 },
        { partialFilterExpression: { testcaseId: { $gt: '' } } },
      );
      await records.createIndex(
        { organizationId: 1, runId: 1, 'assignees.assigneeUserId': 1, _id: 1 },
        { partialFilterExpression: { 'assignees.assigneeUserId': { $exists: true } } },
      );
      await records.createIndex(
        { organizationId: 1, runId: 1, hasAnnotations: 1, _id: 1 },
        { partialFilterExpression: { hasAnnotations: true } },
      );
    },
  },
  {
    name: '10-review-leases',
    up: async (database) => {
      const leases = database.collection('review_leases');
      await leases.createIndex({ organizationId: 1, runId: 1, _id: 1 });
      await leases.createIndex({ organizationId: 1, projectId: 1, _id: 1 });
      await leases.createIndex({ organizationId: 1, 'leases.userId': 1 });
      await leases.createIndex({ expiresAt: 1 }, { expireAfterSeconds: 0 });
      // Only records that people have scored: their progress is counted by it.
      await database
        .collection('records')
        .createIndex(
          { organizationId: 1, runId: 1, 'scores.source': 1 },
          { partialFilterExpression: { 'scores.source': 'human' } },
        );
    },
  },
  {
    name: '11-label-draws',
    up: async (database) => {
      const draws = database.collection('label_draws');
      await draws.createIndex({ organizationId: 1, baselineRunId: 1, metricId: 1 });
      await draws.createIndex({ organizationId: 1, candidateRunId: 1, metricId: 1 });
    },
  },
  {
    name: '12-runs-that-may-stop',
    up: async (database) => {
      await database.collection('runs').createIndex({ lookAt: 1 }, { sparse: true });
      await database
        .collection('records')
        .createIndex(
          { organizationId: 1, runId: 1, judgeOrder: 1, _id: 1 },
          { partialFilterExpression: { judgeOrder: { $exists: true } } },
        );
    },
  },
  {
    name: '13-scores-of-programs',
    up: nameProgramsAsSources,
  },
  {
    name: '14-records-of-traces',
    up: async (database) => {
      await database
        .collection('records')
        .createIndex(
          { organizationId: 1, otelLinkId: 1, _id: -1 },
          { partialFilterExpression: { otelLinkId: { $exists: true } } },
        );
    },
  },
  {
    name: '15-errors',
    up: async (database) => {
      await database
        .collection('records')
        .createIndex(
          { organizationId: 1, runId: 1, hasError: 1, _id: 1 },
          { partialFilterExpression: { hasError: true } },
        );
      await giveErrors(database);
    },
  },
  {
    // The processes of 0.2.0 still use sweepAt_1 and lookAt_1, which this makes useless.
    name: '16-due-by-organization',
    up: async (database) => {
      await database
        .collection('records')
        .createIndex(
          { organizationId: 1, sweepAt: 1 },
          { partialFilterExpression: { sweepAt: { $exists: true } } },
        );
      await database
        .collection('runs')
        .createIndex(
          { organizationId: 1, lookAt: 1 },
          { partialFilterExpression: { lookAt: { $exists: true } } },
        );
    },
  },
  {
    name: '17-expiry',
    up: async (database) => {
      const runs = database.collection('runs');
      for (const field of ['closingAt', 'isClearing'])
        await runs.createIndex(
          { organizationId: 1, [field]: 1 },
          { partialFilterExpression: { [field]: { $exists: true } } },
        );
    },
  },
  {
    // Earlier processes still use the indexes of filters that end in _id, which this makes useless.
    name: '18-runs-in-order',
    up: async (database) => {
      const runs = database.collection('runs');
      const times = { createdAt: -1, _id: -1 } as const;
      await runs.createIndex({ organizationId: 1, projectId: 1, ...times });
      for (const field of ['source', 'labels', 'testsetId', 'systemVersionId', 'createdByUserId'])
        await runs.createIndex({ organizationId: 1, projectId: 1, [field]: 1, ...times });
      await runs.createIndex(
        { organizationId: 1, projectId: 1, name: 1, _id: 1 },
        { name: 'by_name', collation: { locale: 'en', strength: 2 } },
      );
    },
  },
  {
    name: '19-run-results',
    up: async (database) => {
      const counters = database.collection('run_counters');
      await counters.createIndex(
        { organizationId: 1, unreadSince: 1 },
        { partialFilterExpression: { unreadSince: { $exists: true } } },
      );
      const results = database.collection('run_results');
      await results.createIndex({ organizationId: 1, projectId: 1, createdAt: -1, _id: -1 });
      await results.createIndex({
        organizationId: 1,
        projectId: 1,
        testsetId: 1,
        createdAt: -1,
        _id: -1,
      });
      const means = database.collection('run_means');
      await means.createIndex({
        organizationId: 1,
        projectId: 1,
        metricId: 1,
        mean: 1,
        runId: 1,
        createdAt: 1,
      });
      await means.createIndex({ organizationId: 1, runId: 1 });
      await keepResultsOfExpired(database);
      // The results of all other runs are read in the background.
      await counters.updateMany({}, { $set: { unreadSince: new Date() } });
    },
  },
  {
    name: '20-mentions',
    up: async (database) => {
      await database
        .collection('annotations')
        .createIndex(
          { organizationId: 1, projectId: 1, mentions: 1, _id: -1 },
          { partialFilterExpression: { mentions: { $exists: true } } },
        );
    },
  },
];

/**
 * Scores that clients gave to heuristic metrics without an evaluator had the source of people. By
 * organization, since a record may have scores of metrics of other runs.
 */
async function nameProgramsAsSources(database: Database): Promise<void> {
  const runs = database.collection('runs');
  const records = database.collection('records');
  const isOfProgram = { evalType: 'heuristic', isScoredByService: false };
  const organizationIds = await runs.distinct('organizationId', {
    metrics: { $elemMatch: isOfProgram },
  });
  for (const organizationId of organizationIds) {
    const metrics = await runs
      .aggregate<{ metricVersionId: string }>([
        { $match: { organizationId, metrics: { $elemMatch: isOfProgram } } },
        { $unwind: '$metrics' },
        { $match: { 'metrics.evalType': 'heuristic', 'metrics.isScoredByService': false } },
        { $group: { _id: '$metrics.metricVersionId' } },
        { $project: { metricVersionId: '$_id' } },
      ])
      .toArray();
    const mine = { $in: metrics.map(({ metricVersionId }) => metricVersionId) };
    for await (const { _id: runId } of runs.find({ organizationId }, { projection: { _id: 1 } }))
      await records.updateMany(
        {
          organizationId,
          runId,
          'scores.source': 'human',
          scores: { $elemMatch: { source: 'human', metricVersionId: mine } },
        },
        { $set: { 'scores.$[given].source': 'heuristic' } },
        { arrayFilters: [{ 'given.source': 'human', 'given.metricVersionId': mine }] },
      );
  }
}

const filledAtOnceMax = 1000;

/** Gives the records of earlier releases the fields by which lists are filtered. */
async function fillRecordFilters(database: Database): Promise<void> {
  const records = database.collection<{ _id: string } & Record<string, unknown>>('records');
  const projection = {
    pending: 1,
    awaited: 1,
    'failures.metricVersionId': 1,
    'scores.metricVersionId': 1,
    'scores.value': 1,
    'scores.isPending': 1,
    'scores.isOutside': 1,
  };
  for await (const { _id: runId, organizationId, metrics } of database
    .collection('runs')
    .find({ 'metrics.0': { $exists: true } }))
    for await (const some of inBatches(
      records
        .find({ organizationId, runId, outcomes: { $exists: false } }, { projection })
        .sort({ _id: 1 }),
    )) {
      const updates = some.flatMap((record) => {
        const outcomes = outcomesOf(metrics, record as never);
        return outcomes.length > 0
          ? [{ updateOne: { filter: { _id: record._id }, update: { $set: { outcomes } } } }]
          : [];
      });
      if (updates.length > 0) await records.bulkWrite(updates, { ordered: false });
    }
  const annotated = database
    .collection('annotations')
    .aggregate<{ _id: string }>([{ $group: { _id: '$recordId' } }], { allowDiskUse: true });
  for await (const some of inBatches(annotated))
    await records.updateMany(
      { _id: { $in: some.map(({ _id }) => _id) } },
      { $set: { hasAnnotations: true } },
    );
}

async function* inBatches<Item>(items: AsyncIterable<Item>): AsyncGenerator<Item[]> {
  let batch: Item[] = [];
  for await (const item of items)
    if (batch.push(item) === filledAtOnceMax) {
      yield batch;
      batch = [];
    }
  if (batch.length > 0) yield batch;
}
