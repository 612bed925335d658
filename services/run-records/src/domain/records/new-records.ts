import type { IdempotencyKey, Identity, Request } from '@assay/contracts/define';
import { conflict, Failure, invalidAt, notFound, unavailable } from '@assay/contracts/failure';
import { JsonText } from '@assay/contracts/payload';
import {
  type RecordMetrics,
  runExpired,
  type runRecords,
  type ScoreOfRecord,
} from '@assay/contracts/run-records';
import { createSingleFlight } from '@assay/runtime/concurrency/single-flight';
import { usedWithAnotherBody } from '@assay/runtime/http/failures';
import { LRUCache } from 'lru-cache';
import type { Creation, NewRecord } from '../../store/record-creation.ts';
import type { StoredRun } from '../../store/runs.ts';
import { type GivenScore, statesOfNew } from '../accounts/given-score.ts';
import { newScoreStates } from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';
import type { Runs } from '../runs/runs.ts';
import { givenScore } from '../scores/given-scores.ts';
import { checkRoom } from '../scores/score-bounds.ts';
import type { ScoredMetrics } from '../scores/scored-metrics.ts';
import { contentHashOf } from './content-hash.ts';
import type { KnownTestcases } from './known-testcases.ts';
import type { RecordQuota } from './record-quota.ts';

export type RecordBody = Request<(typeof runRecords)['operations']['createRecord']>['body'];

const lockWaitMaxMs = 10_000;
const knownTestsetsMax = 10_000;

export type NewRecords = ReturnType<typeof createNewRecords>;

/** How a body becomes a record, whether it comes alone or among a million. */
export function createNewRecords({
  newId,
  now,
  runs,
  knownTestcases,
  quota,
  scoredMetrics,
}: Pick<Dependencies, 'newId' | 'now'> & {
  runs: Runs;
  knownTestcases: KnownTestcases;
  quota: RecordQuota;
  scoredMetrics: ScoredMetrics;
}) {
  const readTogether = createSingleFlight<StoredRun>();
  const knownTestsets = new LRUCache<string, { testsetId: string | null }>({
    max: knownTestsetsMax,
  });

  /** A run's testset never changes, so it is looked up once. */
  async function testsetOf(identity: Identity, runId: string): Promise<string | null> {
    const key = `${identity.organizationId}/${runId}`;
    const known = knownTestsets.get(key);
    if (known) return known.testsetId;
    const { testsetId } = await runs.runOf(identity, runId);
    knownTestsets.set(key, { testsetId });
    return testsetId;
  }

  async function checkTestcase(
    identity: Identity,
    runId: string,
    testcaseId: string,
  ): Promise<void> {
    const testsetId = await testsetOf(identity, runId);
    if (await knownTestcases.isThere(identity, testsetId, testcaseId)) return;
    throw invalidAt(
      '/testcaseId',
      testsetId === null ? 'does not belong to this organization' : "is not in the run's testset",
    );
  }

  /** The scores that came with a record, by the rules of a PUT. */
  async function scoresOf(
    identity: Identity,
    runId: string,
    { scores, createdAt }: { scores: (ScoreOfRecord | null)[]; createdAt: Date },
  ): Promise<GivenScore[]> {
    const { organizationId, userId } = identity;
    const run = await readTogether(`${organizationId}/${runId}`, () => runs.runOf(identity, runId));
    const given: GivenScore[] = [];
    for (const [index, sent] of scores.entries()) {
      if (!sent) continue;
      const { metricConfigId, metricId, score } = sent;
      const metric =
        metricConfigId === undefined
          ? newestIn(run, metricId!, `/scores/${index}`)
          : await scoredMetrics
              .ofVersion(identity, run, metricConfigId)
              .catch(missingAt(`/scores/${index}/metricConfigId`));
      if (given.some((other) => other.score.metricVersionId === metric.metricVersionId))
        throw invalidAt(`/scores/${index}`, 'is a second score of the same metric');
      given.push(givenScore(metric, { score, giver: { userId }, createdAt }));
    }
    checkRoom(newScoreStates(run.metrics), statesOfNew(run.metrics, { given }), '/scores');
    return given;
  }

  function newestIn(run: StoredRun, metricId: string, path: string) {
    const metric = scoredMetrics.newestOf(run, metricId);
    if (!metric) throw invalidAt(`${path}/metricId`, 'is not a metric of the run');
    return metric;
  }

  async function completed(
    identity: Identity,
    record: NewRecord,
    { testcaseId, scores }: RecordBody,
  ): Promise<NewRecord> {
    const { runId, createdAt } = record;
    if (testcaseId != null) await checkTestcase(identity, runId, testcaseId);
    const own = ownScores(scores);
    const given = own && (await scoresOf(identity, runId, { scores: own, createdAt }));
    await quota.check(identity.organizationId);
    return given ? { ...record, given } : record;
  }

  function toRecord(
    identity: Identity,
    runId: string,
    body: RecordBody,
    idempotencyKey: IdempotencyKey | undefined,
  ): NewRecord {
    const createdAt = now();
    const texts = [...new Set(body.tags ?? [])];
    return {
      id: newId(),
      organizationId: identity.organizationId,
      runId,
      testcaseId: body.testcaseId ?? null,
      ...(body.testcaseId == null ? {} : { contentHash: contentHashOf(body) }),
      ...(body.otelLinkId ? { otelLinkId: body.otelLinkId } : {}),
      ...(body.clientId ? { clientId: body.clientId } : {}),
      ...(body.sessionId ? { sessionId: body.sessionId } : {}),
      ...(body.error ? { error: body.error } : {}),
      ...(body.systemAttempts && body.systemAttempts > 1
        ? { systemAttempts: body.systemAttempts }
        : {}),
      ...(body.notes && body.notes.length > 0 ? { notes: body.notes } : {}),
      ...(hasValue(body.metrics) ? { metrics: body.metrics } : {}),
      ...(body.metadata ? { metadata: body.metadata.toString() } : {}),
      createdAt,
      tags: texts.map((text) => ({
        id: newId(),
        text,
        source: 'user',
        userId: identity.userId,
        createdAt,
      })),
      assignees: [],
      payloads: {
        inputs: body.inputs,
        expected: body.expected,
        outputs: body.outputs ?? noOutputs,
      },
      idempotencyKey,
    };
  }

  return {
    /**
     * @throws (rejects with) VALIDATION_ERROR for a testcase or a score that is not the run's,
     * CONFLICT where the organization has no room for one more, SERVICE_UNAVAILABLE where the disk
     * has none.
     */
    make(
      identity: Identity,
      runId: string,
      body: RecordBody,
      idempotencyKey: IdempotencyKey | undefined,
    ): NewRecord | Promise<NewRecord> {
      // The id first: records are listed in the order of their ids, which is the order in which
      // they came.
      const record = toRecord(identity, runId, body, idempotencyKey);
      const isComplete =
        body.testcaseId == null &&
        !ownScores(body.scores) &&
        quota.hasRoom(identity.organizationId);
      return isComplete ? record : completed(identity, record, body);
    },
  };
}

/** The scores of a new record; null in place of each that names another one, of which it is. */
function ownScores(scores: RecordBody['scores']): (ScoreOfRecord | null)[] | undefined {
  const own = scores?.map((score) => (score.recordId === undefined ? score : null));
  return own?.some((score) => score !== null) ? own : undefined;
}

/** Of a record whose system gave no answer. */
const noOutputs = new JsonText('{}');

const hasValue = (metrics: RecordBody['metrics']): metrics is RecordMetrics =>
  metrics != null && Object.keys(metrics).length > 0;

const missingAt =
  (path: string) =>
  (error: unknown): never => {
    if (error instanceof Failure && error.code === 'NOT_FOUND')
      throw invalidAt(path, 'does not belong to this organization');
    throw error;
  };

/**
 * Creates records. Waits for locked ones as long as a repeat waits for its first request (contract
 * section 1, Idempotency).
 */
export async function createWhenUnlocked(
  records: NewRecord[],
  create: (records: NewRecord[]) => Promise<Creation[]>,
): Promise<Creation[]> {
  const deadline = performance.now() + lockWaitMaxMs;
  const creations = await create(records);
  for (;;) {
    const locked = records.flatMap((_, index) =>
      creations[index]!.outcome === 'locked' ? [index] : [],
    );
    if (locked.length === 0 || performance.now() > deadline) return creations;
    await new Promise((resolve) => setTimeout(resolve, 200));
    const again = await create(locked.map((index) => records[index]!));
    for (const [position, index] of locked.entries()) creations[index] = again[position]!;
  }
}

/** The error for a record that was not created. */
export function creationFailure(
  creation: Exclude<Creation, { outcome: 'created' | 'replayed' | 'existing' }>,
  runId: string,
): Failure {
  switch (creation.outcome) {
    case 'run expired':
      return runExpired(creation.at.toISOString());
    case 'run missing':
      return notFound('run', runId);
    case 'locked':
      return conflict('The first request for this record is still under way.', {
        retryAfterSeconds: 1,
      });
    case 'key used with another body':
      return usedWithAnotherBody();
    case 'deleted meanwhile':
      return unavailable('The record was deleted while it was created.');
  }
}
