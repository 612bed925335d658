import { asScoring, missingId, useRunRecords } from '@assay/testing/run-records';
import { followEvents, type ServerSentEvent } from '@assay/testing/server-sent-events';
import { describe, expect, test } from 'vitest';

const { url, request, sealed, newMetric, newRun, newRecord, getRun } = useRunRecords();

const judged = {
  evalType: 'ai',
  outputType: 'boolean',
  promptTemplate: 'Is {{ outputs.answer }} right?',
  evalModelName: 'openai/small',
};

const read = (runId: string, recordIds: string[], model: string | null) =>
  request('POST', '/internal/records-for-scoring', { runId, recordIds, model }, asScoring);

const scoreOutcome = (metricVersionId: string, costUsd: number) => ({
  kind: 'score',
  value: true,
  reasoning: 'r',
  source: 'ai',
  votes: [true],
  provenance: { metricVersionId, evaluator: 'judge', costUsd, durationMs: 1, attempts: 1 },
});

async function judgedRun(records: number, body: object = {}) {
  const run = await newRun({ metricIds: [await newMetric(judged)], ...body });
  const recordIds: string[] = [];
  for (let index = 0; index < records; index++) recordIds.push((await newRecord(run.id)).body.id);
  const [metricVersionId] = run.metricVersionIds;
  const accept = async (ids: string[], outcome: object = scoreOutcome(metricVersionId, 0.1)) =>
    (
      await request(
        'POST',
        '/internal/judgements',
        {
          runId: run.id,
          judgements: ids.map((recordId) => ({ recordId, metricVersionId, outcome })),
        },
        asScoring,
      )
    ).body;
  return { run, recordIds, metricVersionId, accept };
}

describe('what the scoring service reads', () => {
  test('is what one model judges, or what is evaluated without a judge, and never the other', async () => {
    const run = await newRun({
      metricIds: [
        await newMetric(),
        await newMetric(judged),
        await newMetric({ ...judged, evalModelName: 'openai/large' }),
      ],
    });
    const { id } = (await newRecord(run.id)).body;
    const [builtin, small, large] = run.metricVersionIds;
    expect((await read(run.id, [id], null)).body.records).toMatchObject([
      { id, pending: [builtin] },
    ]);
    expect((await read(run.id, [id], 'openai/small')).body.records).toMatchObject([
      { id, pending: [small] },
    ]);
    expect((await read(run.id, [id], 'openai/large')).body.records).toMatchObject([
      { id, pending: [large] },
    ]);
    expect((await read(run.id, [id], 'openai/other')).body.records).toEqual([]);
  });
});

describe('a paused run', () => {
  test('takes records, gives nothing out to be scored, keeps what was under way, and goes on when it is resumed', async () => {
    const { run, recordIds, accept } = await judgedRun(2);
    const paused = await request('POST', `/runs/${run.id}/pause`);
    expect([paused.status, paused.body.isPaused]).toEqual([200, true]);
    expect((await read(run.id, recordIds, 'openai/small')).body).toEqual({
      records: [],
      remaining: [],
      budget: null,
    });
    expect((await newRecord(run.id)).status).toBe(201);
    expect(await accept(recordIds.slice(0, 1))).toEqual({
      accepted: 1,
      isPaused: true,
      budget: null,
    });
    expect((await getRun(run.id)).scoring).toEqual({
      expected: 3,
      scored: 1,
      failed: 0,
      pending: 2,
    });
    const resumed = await request('POST', `/runs/${run.id}/resume`);
    expect([resumed.status, resumed.body.isPaused]).toEqual([200, false]);
    expect((await read(run.id, recordIds, 'openai/small')).body.records).toHaveLength(1);
    expect(await accept(recordIds.slice(1))).toEqual({
      accepted: 1,
      isPaused: false,
      budget: null,
    });
  });

  test('is a 404 where it does not exist', async () => {
    for (const what of ['pause', 'resume'])
      expect((await request('POST', `/runs/${missingId}/${what}`)).status).toBe(404);
  });
});

describe('a budget', () => {
  test('that is reached ends judging with failures, and a higher one goes on; what was spent stays spent', async () => {
    const { run, recordIds, accept } = await judgedRun(4, { budgetUsd: 0.2 });
    expect(run).toMatchObject({ budgetUsd: 0.2, costUsd: 0 });
    expect(await accept(recordIds.slice(0, 1))).toEqual({
      accepted: 1,
      isPaused: false,
      budget: { limitUsd: 0.2, spentUsd: 0.1 },
    });
    expect(await accept(recordIds.slice(1, 2))).toEqual({
      accepted: 1,
      isPaused: false,
      budget: { limitUsd: 0.2, spentUsd: 0.2 },
    });
    expect((await read(run.id, recordIds, 'openai/small')).body.records).toEqual([]);
    expect(await getRun(run.id)).toMatchObject({
      costUsd: 0.2,
      scoring: { expected: 4, scored: 2, failed: 2, pending: 0 },
    });
    const failures = (await request('GET', `/runs/${run.id}/failures`)).body.data;
    expect(failures.map(({ code }: { code: string }) => code)).toEqual([
      'budget_exhausted',
      'budget_exhausted',
    ]);
    expect(failures[0].message).toContain('0.2 US dollars');

    const same = await request('PATCH', `/runs/${run.id}`, { budgetUsd: 0.2 });
    expect(same.body.scoring.failed).toBe(2);
    const raised = await request('PATCH', `/runs/${run.id}`, { budgetUsd: 0.35 });
    expect(raised.body).toMatchObject({ budgetUsd: 0.35, scoring: { failed: 0, pending: 2 } });
    expect((await read(run.id, recordIds, 'openai/small')).body.records).toHaveLength(2);
    expect(
      (await request('PATCH', `/runs/${run.id}`, { budgetUsd: null })).body.budgetUsd,
    ).toBeNull();
  });

  test('counts what failed attempts and replaced scores cost', async () => {
    const { run, recordIds, accept } = await judgedRun(1);
    await accept(recordIds, {
      kind: 'failure',
      code: 'invalid_answer',
      message: 'm',
      attempts: 3,
      costUsd: 0.000_000_123,
    });
    expect((await getRun(run.id)).costUsd).toBe(0.000_000_123);
    await request('POST', `/runs/${run.id}/retry`);
    await accept(recordIds);
    await request('POST', `/runs/${run.id}/rescore`, {});
    await accept(recordIds);
    expect(await getRun(run.id)).toMatchObject({
      costUsd: 0.200_000_123,
      scoring: { expected: 1, scored: 1 },
    });
  });

  test('does not hold up what costs nothing', async () => {
    const run = await newRun({
      metricIds: [await newMetric(), await newMetric(judged)],
      budgetUsd: 0,
    });
    const { id } = (await newRecord(run.id)).body;
    expect((await read(run.id, [id], 'openai/small')).body.records).toEqual([]);
    expect((await read(run.id, [id], null)).body.records).toHaveLength(1);
  });

  test('out of range is refused with its place', async () => {
    const { run } = await judgedRun(0);
    for (const budgetUsd of [-1, 1e9, 'much']) {
      const reply = await request('PATCH', `/runs/${run.id}`, { budgetUsd });
      expect([reply.status, reply.body.details.issues[0].path]).toEqual([400, '/budgetUsd']);
    }
  });
});

describe("a run's events", () => {
  const follow = (runId: string, lastEventId?: string) =>
    followEvents(`${url()}/runs/${runId}/events`, {
      ...sealed('GET', `/runs/${runId}/events`),
      ...(lastEventId ? { 'last-event-id': lastEventId } : {}),
    });
  const all = async (events: AsyncIterable<ServerSentEvent>): Promise<ServerSentEvent[]> => {
    const heard: ServerSentEvent[] = [];
    for await (const event of events) heard.push(event);
    return heard;
  };

  test('tell the account at each change and end with the completion; accounts add up in each', async () => {
    const { run, recordIds, accept } = await judgedRun(2);
    const events = follow(run.id);
    const first = (await events.next()).value!;
    expect(first).toMatchObject({
      event: 'progress',
      data: {
        expected: 2,
        scored: 0,
        failed: 0,
        pending: 2,
        status: 'awaiting_scoring',
        numRecords: 2,
        costUsd: 0,
      },
    });
    await accept(recordIds.slice(0, 1));
    const second = (await events.next()).value!;
    expect(second).toMatchObject({
      event: 'progress',
      data: { expected: 2, scored: 1, failed: 0, pending: 1 },
    });
    expect(Number(second.id)).toBeGreaterThan(Number(first.id));
    await accept(recordIds.slice(1));
    const rest = await all(events);
    expect(rest.map(({ event }) => event)).toEqual(['progress', 'completed']);
    expect(rest[1]!.data).toMatchObject({
      expected: 2,
      scored: 2,
      failed: 0,
      pending: 0,
      status: 'completed',
    });
  });

  test('go on from the last event that was heard: what came since, and nothing twice', async () => {
    const { run, recordIds, accept } = await judgedRun(2);
    const begun = follow(run.id);
    const first = (await begun.next()).value!;
    // A stream that nobody reads keeps its server from stopping for a minute.
    await begun.return(undefined);
    await accept(recordIds.slice(0, 1));
    const resumed = follow(run.id, first.id);
    expect((await resumed.next()).value).toMatchObject({ event: 'progress', data: { scored: 1 } });
    await resumed.return(undefined);
    await accept(recordIds.slice(1));
    const heard = await all(follow(run.id, first.id));
    expect(heard.map(({ event }) => event)).toEqual(['progress', 'completed']);
    // The connection broke between the two.
    expect((await all(follow(run.id, heard[0]!.id))).map(({ event }) => event)).toEqual([
      'completed',
    ]);
    // Whoever has heard the completion hears nothing until something changes.
    const after = follow(run.id, heard[1]!.id);
    const next = after.next();
    await newRecord(run.id);
    expect((await next).value).toMatchObject({
      event: 'progress',
      data: { expected: 3, pending: 1 },
    });
    await after.return(undefined);
  });

  test('that a dozen people watch at once leave no warning of a memory leak in the log', async () => {
    const warnings: Error[] = [];
    const hear = (warning: Error) => void warnings.push(warning);
    process.on('warning', hear);
    const { run, recordIds, accept } = await judgedRun(2);
    const watching = Array.from({ length: 12 }, () => follow(run.id));
    for (const events of watching) await events.next();
    await accept(recordIds.slice(0, 1));
    for (const events of watching)
      expect((await events.next()).value).toMatchObject({ data: { scored: 1 } });
    await Promise.all(watching.map((events) => events.return(undefined)));
    process.off('warning', hear);
    expect(warnings.map(({ message }) => message)).toEqual([]);
  });

  test('of a run that is not there are a 404, and an unknown last event begins anew', async () => {
    expect((await request('GET', `/runs/${missingId}/events`)).status).toBe(404);
    const { run } = await judgedRun(1);
    const events = follow(run.id, 'no such');
    expect((await events.next()).value).toMatchObject({ event: 'progress' });
    await events.return(undefined);
  });
});
