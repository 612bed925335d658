import { start as startRunRecords } from '@assay/run-records/service';
import { poll } from '@assay/testing/poll';
import { asScoring, missingId, useRunRecords } from '@assay/testing/run-records';
import { MongoClient } from 'mongodb';
import { describe, expect, test } from 'vitest';

const setting = useRunRecords({ config: { SWEEP_INTERVAL_MS: 100, SWEEP_AFTER_MS: 300 } });
const { request, newMetric, newRun, newRecord, newTestset, getRun, projectId } = setting;

const model = 'openai/small';
const judged = {
  evalType: 'ai',
  outputType: 'boolean',
  promptTemplate: 'Is {{ outputs.answer }} right?',
  evalModelName: model,
};

interface Records {
  id: string;
  metricVersionIds: string[];
  /** Each record's testcase. */
  testcaseOf: Map<string, string>;
}

async function withRecords(run: { id: string; metricVersionIds: string[] }, testcaseIds: string[]) {
  const records = await Promise.all(
    testcaseIds.map(async (testcaseId) => [
      (await newRecord(run.id, { testcaseId })).body.id as string,
      testcaseId,
    ]),
  );
  return { ...run, testcaseOf: new Map(records as [string, string][]) } satisfies Records;
}

/** The records that a judge may be asked about now. */
async function askedOf(run: Records): Promise<string[]> {
  const { body } = await request(
    'POST',
    '/internal/records-for-scoring',
    { runId: run.id, recordIds: [...run.testcaseOf.keys()], model },
    asScoring,
  );
  return body.records.map(({ id }: { id: string }) => id);
}

async function accept(run: Records, values: [recordId: string, value: boolean][]) {
  const metricVersionId = run.metricVersionIds[0];
  const judgements = values.map(([recordId, value]) => ({
    recordId,
    metricVersionId,
    outcome: {
      kind: 'score',
      value,
      reasoning: 'r',
      source: 'ai',
      votes: [value],
      provenance: { metricVersionId, evaluator: 'judge', durationMs: 1, attempts: 1 },
    },
  }));
  return (await request('POST', '/internal/judgements', { runId: run.id, judgements }, asScoring))
    .body.accepted as number;
}

/** Judges what may be judged until nothing is left; returns the batches in their order. */
async function judgeAll(
  run: Records,
  answer: (testcaseId: string) => boolean,
): Promise<string[][]> {
  const batches: string[][] = [];
  await poll('the run is judged', async () => {
    const ids = await askedOf(run);
    if (ids.length > 0) {
      batches.push(ids.map((id) => run.testcaseOf.get(id)!));
      await accept(
        run,
        ids.map((id) => [id, answer(run.testcaseOf.get(id)!)]),
      );
    }
    const { scoring } = await getRun(run.id);
    expect(scoring.expected).toBe(
      scoring.scored + scoring.failed + scoring.pending + (scoring.stopped ?? 0),
    );
    return scoring.expected > 0 && scoring.pending === 0;
  });
  return batches;
}

/** A testset, a metric and a baseline that fails each testcase but for every third. */
async function newBaseline(count: number) {
  const { testset, testcaseIds } = await newTestset(count);
  const metricId = await newMetric(judged);
  const baseline = await withRecords(
    await newRun({ testsetId: testset, metricIds: [metricId] }),
    testcaseIds,
  );
  const passed = new Set(testcaseIds.filter((_, index) => index % 3 === 0));
  await judgeAll(baseline, (testcaseId) => passed.has(testcaseId));
  const body = (stopWhen: object = {}) => ({
    testsetId: testset,
    metricIds: [metricId],
    compareWith: baseline.id,
    stopWhen,
  });
  return { testset, testcaseIds, metricId, baseline, passed, body };
}

async function decidedBy(runId: string) {
  const decision = await poll(
    'the run says what was decided',
    async () => (await getRun(runId)).decision ?? undefined,
  );
  return { decision, run: await getRun(runId) };
}

describe('a run that stops when it is decided', () => {
  test('asks in a random order once all records are there, and not any more once it is decided', async () => {
    const { testcaseIds, metricId, baseline, body } = await newBaseline(100);
    const created = await newRun(body());
    expect(created).toMatchObject({
      compareWith: baseline.id,
      stopWhen: { level: 0.95, futility: false, metricId },
      decision: null,
    });
    const most = await withRecords(created, testcaseIds.slice(0, 99));
    expect(await askedOf(most)).toEqual([]);
    const last = await withRecords(created, testcaseIds.slice(99));
    const run = { ...most, testcaseOf: new Map([...most.testcaseOf, ...last.testcaseOf]) };

    const batches = await judgeAll(run, () => true);
    const asked = batches.flat();
    expect(batches.every(({ length }) => length === 20)).toBe(true);
    expect(new Set(asked).size).toBe(asked.length);
    expect(asked.length).toBeLessThan(100);
    const saved = 100 - asked.length;
    // Not in the order in which the testcases were made or came.
    expect(batches[0]).not.toEqual(testcaseIds.slice(0, 20));
    const { decision, run: ended } = await decidedBy(run.id);
    expect(decision).toEqual({
      outcome: 'better',
      reason: 'decided',
      at: expect.any(String),
      pairs: asked.length,
      judgementsSaved: saved,
    });
    expect(ended).toMatchObject({
      status: 'completed',
      scoring: { expected: 100, scored: asked.length, failed: 0, pending: 0, stopped: saved },
    });
    expect(await askedOf(run)).toEqual([]);

    const [metric] = (
      await request('POST', '/comparisons', { baselineRunId: baseline.id, candidateRunId: run.id })
    ).body.metrics;
    expect(metric).toMatchObject({
      paired: asked.length,
      verdict: 'better',
      anytimeVerdict: 'better',
    });
    expect(metric.pValue).toBe(metric.anytimePValue);
    expect(metric.test).toBe(metric.anytimeMethod);
    expect(metric.warnings[0]).toEqual({
      code: 'looked_while_judging',
      message: `Judging stopped early, after ${asked.length} testcases of both runs: verdict, p-value and interval are those that hold however often one looks.`,
      details: { pairs: asked.length, isStopped: 1 },
    });
    const { data } = (
      await request(
        'GET',
        `/runs/${run.id}/records?limit=100&outcome=stopped&metricVersionId=${run.metricVersionIds[0]}`,
      )
    ).body;
    expect(data).toHaveLength(saved);
    expect(data[0].missingScores).toEqual([
      { metricConfigId: run.metricVersionIds[0], state: 'stopped' },
    ]);
  });

  test('judges all testcases where nothing is decided, and stops before where nothing can be', async () => {
    const { testcaseIds, passed, body } = await newBaseline(60);
    const run = await withRecords(await newRun(body()), testcaseIds);
    const batches = await judgeAll(run, (testcaseId) => passed.has(testcaseId));
    expect(batches.flat().toSorted()).toEqual(testcaseIds.toSorted());
    expect((await decidedBy(run.id)).decision).toMatchObject({
      outcome: 'undecided',
      reason: 'all_judged',
      pairs: 60,
      judgementsSaved: 0,
    });
    const futile = await withRecords(await newRun(body({ futility: true })), testcaseIds);
    await judgeAll(futile, (testcaseId) => passed.has(testcaseId));
    expect((await decidedBy(futile.id)).decision).toMatchObject({
      outcome: 'undecided',
      reason: 'futile',
      pairs: 40,
      judgementsSaved: 20,
    });
  });

  test('has its other metrics scored at once, and the one that is named decide', async () => {
    const { testcaseIds, metricId, body } = await newBaseline(60);
    const [heuristic, other] = [await newMetric(), await newMetric(judged)];
    const created = await newRun({
      ...body({ metricId }),
      metricIds: [metricId, heuristic, other],
    });
    const run = await withRecords(created, testcaseIds);
    const ids = [...run.testcaseOf.keys()];
    const { body: unjudged } = await request(
      'POST',
      '/internal/records-for-scoring',
      { runId: run.id, recordIds: ids, model: null },
      asScoring,
    );
    expect(unjudged.records).toHaveLength(60);
    expect((await getRun(run.id)).stopWhen.metricId).toBe(metricId);
    // The records of the batch miss the scores of both judges.
    const first = await poll('the first batch is asked', async () => {
      const asked = await askedOf(run);
      return asked.length > 0 && asked;
    });
    await accept(
      run,
      first.map((id) => [id, true]),
    );
    expect(await askedOf(run)).toEqual(first);
  });

  test('asks about all records of a testcase together', async () => {
    const { testcaseIds, body } = await newBaseline(60);
    const created = await newRun({ ...body(), repeats: 2 });
    const run = await withRecords(created, [...testcaseIds, ...testcaseIds]);
    const batches = await judgeAll(run, () => true);
    for (const batch of batches) {
      expect(batch).toHaveLength(40);
      expect(new Set(batch).size).toBe(20);
    }
  });

  test('goes on where a process ended: with a score that was lost, and with the next batch', async () => {
    const { testcaseIds, body } = await newBaseline(60);
    const run = await withRecords(await newRun(body()), testcaseIds);
    const first = await poll('the first batch is asked', async () => {
      const ids = await askedOf(run);
      return ids.length > 0 ? ids : undefined;
    });
    await accept(
      run,
      first.slice(1).map((id) => [id, true]),
    );
    // Nothing further is asked until the batch is whole, however often the sweep looks.
    expect(await askedOf(run)).toEqual(first.slice(0, 1));
    expect(await accept(run, [[first[0]!, true]])).toBe(1);
    expect(await accept(run, [[first[0]!, true]])).toBe(0);
    const later = await judgeAll(run, () => true);
    const { run: ended } = await decidedBy(run.id);
    expect(ended.scoring.scored).toBe(20 + later.flat().length);
    expect(ended.scoring.scored + ended.scoring.stopped).toBe(60);
  });

  test('stops the rest where the process that decided ended before it did so', async () => {
    const { testcaseIds, body } = await newBaseline(60);
    const run = await withRecords(await newRun(body()), testcaseIds);
    await poll('the first batch is asked', async () => (await askedOf(run)).length === 20);
    await using client = new MongoClient(setting.config().MONGODB_URI);
    const decision = { outcome: 'better', reason: 'decided', at: new Date(), pairs: 20 };
    await client
      .db(`${setting.config().DATABASE_PREFIX}_run-records`)
      .collection<{ _id: string }>('runs')
      .updateOne({ _id: run.id }, { $set: { 'stopping.decision': decision } });
    const stopped = await poll('the rest is stopped', async () => {
      const { scoring } = await getRun(run.id);
      return scoring.stopped === 40 && scoring;
    });
    // What was asked before is still taken.
    expect(stopped).toMatchObject({ expected: 60, pending: 20 });
    await judgeAll(run, () => true);
    expect(await getRun(run.id)).toMatchObject({
      status: 'completed',
      scoring: { expected: 60, scored: 20, failed: 0, pending: 0, stopped: 40 },
    });
  });

  test('has a record that comes after the decision stopped, or judged by its place in the order', async () => {
    const { testcaseIds, body } = await newBaseline(60);
    const run = await withRecords(await newRun(body()), testcaseIds);
    await judgeAll(run, () => true);
    const { run: ended } = await decidedBy(run.id);
    const late = await withRecords(run, testcaseIds);
    await judgeAll(late, () => true);
    expect((await getRun(run.id)).scoring).toEqual({
      expected: 120,
      scored: 2 * ended.scoring.scored,
      failed: 0,
      pending: 0,
      stopped: 2 * ended.scoring.stopped,
    });
  });

  test('takes each step once although two processes work on it', async () => {
    const second = await startRunRecords({ ...setting.config(), SWEEP_INTERVAL_MS: 50 } as never);
    try {
      const { testcaseIds, body } = await newBaseline(100);
      const run = await withRecords(await newRun(body()), testcaseIds);
      const batches = await judgeAll(run, () => true);
      expect(batches.every(({ length }) => length === 20)).toBe(true);
      const { decision } = await decidedBy(run.id);
      expect(decision.pairs).toBe(batches.flat().length);
      expect(decision.judgementsSaved).toBe(100 - decision.pairs);
    } finally {
      await second.stop();
    }
  });

  test('is judged whole once it is rescored, and not before it is decided', async () => {
    const { testcaseIds, metricId, body } = await newBaseline(60);
    const run = await withRecords(await newRun(body()), testcaseIds);
    const rescore = () => request('POST', `/runs/${run.id}/rescore`, { metricIds: [metricId] });
    expect((await rescore()).status).toBe(409);
    await judgeAll(run, () => true);
    await decidedBy(run.id);
    expect(await rescore()).toMatchObject({ status: 202, body: { queued: 60 } });
    expect((await getRun(run.id)).scoring).toEqual({
      expected: 60,
      scored: 0,
      failed: 0,
      pending: 60,
    });
    await judgeAll(run, () => true);
    expect((await getRun(run.id)).scoring).toMatchObject({ scored: 60, pending: 0 });
  });

  test('judges all where its baseline was deleted', async () => {
    const { testcaseIds, baseline, body } = await newBaseline(60);
    const run = await withRecords(await newRun(body()), testcaseIds);
    await request('DELETE', `/runs/${baseline.id}`);
    const batches = await judgeAll(run, () => true);
    expect(batches.map((batch) => batch.length)).toEqual([20, 40]);
    expect((await decidedBy(run.id)).decision.reason).toBe('not_comparable');
  });
});

test('a run that cannot stop is refused, with the place', async () => {
  const { testset, metricId, baseline, body } = await newBaseline(2);
  const other = await newTestset(1);
  const empty = await newTestset(0);
  const [heuristic, second, unknown] = [
    await newMetric(),
    await newMetric(judged),
    await newMetric(judged),
  ];
  const place = async (change: object) => {
    const reply = await request('POST', `/projects/${projectId()}/runs`, { ...body(), ...change });
    return [reply.status, reply.body.details?.issues?.[0]?.path];
  };
  expect(await place({ compareWith: undefined })).toEqual([400, '/compareWith']);
  expect(await place({ stopWhen: undefined })).toEqual([400, '/stopWhen']);
  expect(await place({ compareWith: missingId })).toEqual([400, '/compareWith']);
  expect(await place({ testsetId: other.testset })).toEqual([400, '/compareWith']);
  expect(await place({ testsetId: empty.testset })).toEqual([400, '/testsetId']);
  expect(await place({ testsetId: null })).toEqual([400, '/stopWhen']);
  expect(await place({ metricIds: [heuristic] })).toEqual([400, '/stopWhen']);
  expect(await place({ metricIds: [metricId, second] })).toEqual([400, '/stopWhen/metricId']);
  expect(await place({ stopWhen: { metricId: second } })).toEqual([400, '/stopWhen/metricId']);
  expect(
    await place({ metricIds: [metricId, heuristic], stopWhen: { metricId: heuristic } }),
  ).toEqual([400, '/stopWhen/metricId']);
  expect(await place({ metricIds: [unknown] })).toEqual([400, '/compareWith']);
  expect(await place({ stopWhen: { level: 1 } })).toEqual([400, '/stopWhen/level']);
  expect(await place({ stopWhen: { level: 0.5 } })).toEqual([400, '/stopWhen/level']);
  const created = await newRun({
    ...body({ level: 0.9, metricId }),
    metricIds: [metricId, second],
  });
  expect(created).toMatchObject({ testsetId: testset, compareWith: baseline.id });
});
