import { missingId, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';
import { type JudgedRun, useJudgedRuns } from './judged-runs.ts';

const world = useRunRecords();
const { request, newMetric, newMember, newTestset, newRun, newRecord } = world;
const { newJudge, newJudgedRun, say, label } = useJudgedRuns(world);

const human = { evalType: 'human', outputType: 'boolean' };

interface Drawn {
  testcaseId: string;
  changed: boolean;
  probability: number;
  baselineRecordId: string;
  candidateRecordId: string;
}

/** Two runs of a testset, of which the judge passes all of one, and fails some of the other. */
async function judgedRuns({ testcases, changed }: { testcases: number; changed: number }) {
  const [judge, people] = [await newJudge(), await newMetric(human)];
  const { testset, testcaseIds } = await newTestset(testcases);
  const runs: JudgedRun[] = [];
  for (const failing of [0, changed]) {
    const run = await newJudgedRun({ judge, people, testsetId: testset, testcaseIds });
    await say(
      run,
      testcaseIds.map((_, place) => place >= failing),
    );
    runs.push(run);
  }
  const [baseline, candidate] = runs as [JudgedRun, JudgedRun];
  const runIds = { baselineRunId: baseline.id, candidateRunId: candidate.id, metricId: judge };
  return {
    judge,
    people,
    testset,
    testcaseIds,
    baseline,
    candidate,
    draw: (testcases: number, body: object = {}, headers = {}) =>
      request(
        'POST',
        '/label-draws',
        { ...runIds, humanMetricId: people, testcases, ...body },
        { headers },
      ),
    read: async () => (await request('GET', `/label-draws?${new URLSearchParams(runIds)}`)).body,
    waitingFor: async (userId: string) =>
      (
        await request(
          'GET',
          `/review-queue?projectId=${world.projectId()}&metricId=${people}&assigneeUserId=${userId}&limit=100`,
        )
      ).body.data.map(({ record }: { record: { id: string } }) => record.id) as string[],
  };
}

describe('a draw of testcases for people', () => {
  test('takes changed ones three times as often, with the probabilities, and has the members score both records', async () => {
    const setting = await judgedRuns({ testcases: 30, changed: 15 });
    const ada = await newMember();
    const { status, body } = await setting.draw(20, { assigneeUserIds: [ada] });
    expect(status).toBe(200);
    expect(body).toMatchObject({
      paired: 30,
      drawn: 20,
      labelled: 0,
      humanMetricId: setting.people,
    });
    // More than there are of either kind, so that some of both are drawn.
    const drawn = body.testcases as Drawn[];
    expect(drawn).toHaveLength(20);
    const [changed, same] = [
      drawn.find((testcase) => testcase.changed)!,
      drawn.find((testcase) => !testcase.changed)!,
    ];
    expect(changed.probability).toBeCloseTo(Math.min(1, 3 * same.probability), 12);
    for (const { testcaseId, changed, baselineRecordId, candidateRecordId } of drawn) {
      const place = setting.testcaseIds.indexOf(testcaseId);
      expect(changed).toBe(place < 15);
      expect(baselineRecordId).toBe(setting.baseline.recordIds[place]);
      expect(candidateRecordId).toBe(setting.candidate.recordIds[place]);
    }
    const wanted = drawn.flatMap((one) => [one.baselineRecordId, one.candidateRecordId]);
    expect((await setting.waitingFor(ada)).sort()).toEqual(wanted.sort());
    expect(await setting.read()).toEqual(body);
  });

  test('leaves out a testcase whose system failed, which needs no label', async () => {
    const [judge, people] = [await newJudge(), await newMetric(human)];
    const { testset, testcaseIds } = await newTestset(4);
    const shared = { judge, people, testsetId: testset };
    const baseline = await newJudgedRun({ ...shared, testcaseIds });
    const candidate = await newJudgedRun({ ...shared, testcaseIds: testcaseIds.slice(1) });
    const error = { name: 'TimeoutError', message: 'too slow' };
    const failed = await newRecord(candidate.id, { testcaseId: testcaseIds[0], error });
    expect(failed.status).toBe(201);
    await say(baseline, [true, true, true, true]);
    await say(candidate, [true, true, true]);
    const { body } = await request('POST', '/label-draws', {
      baselineRunId: baseline.id,
      candidateRunId: candidate.id,
      metricId: judge,
      humanMetricId: people,
      testcases: 4,
    });
    expect(body).toMatchObject({ paired: 3, drawn: 3 });
    const drawn = body.testcases.map(({ testcaseId }: Drawn) => testcaseId);
    expect(drawn.sort()).toEqual(testcaseIds.slice(1).sort());
  });

  test('goes on where the one before ended: probabilities rise, and everything is certain in the end', async () => {
    const { draw, read } = await judgedRuns({ testcases: 12, changed: 3 });
    const first = (await draw(4)).body.testcases as Drawn[];
    const second = (await draw(4)).body.testcases as Drawn[];
    expect(second.slice(0, 4).map(({ testcaseId }) => testcaseId)).toEqual(
      first.map(({ testcaseId }) => testcaseId),
    );
    first.forEach(({ probability }, place) => {
      expect(second[place]!.probability).toBeGreaterThanOrEqual(probability);
    });
    const all = (await draw(100)).body;
    expect(all).toMatchObject({ drawn: 12, paired: 12 });
    expect(all.testcases.every(({ probability }: Drawn) => probability === 1)).toBe(true);
    expect((await draw(1)).body).toEqual(all);
    expect(await read()).toEqual(all);
  });

  test('takes the same testcases first for another pair of runs, so that labels of a run serve both', async () => {
    const { judge, people, testset, testcaseIds, baseline, draw } = await judgedRuns({
      testcases: 20,
      changed: 0,
    });
    const other = await newJudgedRun({ judge, people, testsetId: testset, testcaseIds });
    await say(
      other,
      testcaseIds.map(() => true),
    );
    const first = (await draw(6)).body.testcases as Drawn[];
    const body = { baselineRunId: baseline.id, candidateRunId: other.id };
    const second = (await draw(9, body)).body.testcases as Drawn[];
    expect(second.slice(0, 6).map(({ testcaseId }) => testcaseId)).toEqual(
      first.map(({ testcaseId }) => testcaseId),
    );
  });

  test('loses nothing to another one at the same moment, and a repeat with its key draws nothing', async () => {
    const { draw, read } = await judgedRuns({ testcases: 40, changed: 10 });
    await Promise.all([draw(5), draw(5), draw(5)]);
    const { testcases } = await read();
    expect(new Set(testcases.map(({ testcaseId }: Drawn) => testcaseId)).size).toBe(15);
    const key = { 'idempotency-key': 'draw once' };
    const repeated = await Promise.all([draw(5, {}, key), draw(5, {}, key)]);
    expect(repeated.map(({ body }) => body.drawn)).toEqual([20, 20]);
    expect((await draw(5, {}, key)).body.drawn).toBe(20);
    expect((await read()).drawn).toBe(20);
  });

  test('tells how many are labelled, how sure they make a comparison, and what 20 more would give', async () => {
    const { draw, read, baseline, candidate, testcaseIds, people } = await judgedRuns({
      testcases: 60,
      changed: 12,
    });
    const before = (await draw(24)).body;
    expect(before.expected).toEqual({
      labels: 0,
      halfWidth: null,
      halfWidthWith20More: expect.any(Number),
    });
    const places = (before.testcases as Drawn[]).map(({ testcaseId }) =>
      testcaseIds.indexOf(testcaseId),
    );
    // People and judge agree, but for every sixth testcase of the candidate.
    const labelled = places.slice(0, 20);
    const says = (failing: (place: number) => boolean) =>
      testcaseIds.map((_, place) => (labelled.includes(place) ? !failing(place) : undefined));
    await label(
      baseline,
      says(() => false),
      baseline.metricVersionIds[1],
    );
    expect(await read()).toMatchObject({ drawn: 24, labelled: 0 });
    await label(
      candidate,
      says((place) => place < 12 !== (place % 6 === 0)),
      candidate.metricVersionIds[1],
    );
    const { expected, ...rest } = await read();
    expect(rest).toMatchObject({ drawn: 24, labelled: 20, humanMetricId: people });
    expect(expected.labels).toBe(20);
    expect(expected.halfWidth).toBeGreaterThan(expected.halfWidthWith20More);
    expect(expected.halfWidthWith20More).toBeGreaterThan(0);
  });

  test('says which of its runs, metrics and members are not right', async () => {
    const { draw, judge, people, baseline, candidate } = await judgedRuns({
      testcases: 3,
      changed: 1,
    });
    const ints = await newMetric({ evalType: 'human', outputType: 'int' });
    for (const { id } of [baseline, candidate])
      await request('POST', `/runs/${id}/rescore`, { metricIds: [ints], recordIds: [] });
    const issueOf = async (body: object) => {
      const { status, body: reply } = await draw(1, body);
      return [status, reply.details?.issues?.[0].path];
    };
    expect(await issueOf({ candidateRunId: missingId })).toEqual([400, '/candidateRunId']);
    expect(await issueOf({ candidateRunId: (await newRun()).id })).toEqual([
      400,
      '/candidateRunId',
    ]);
    expect(await issueOf({ metricId: people })).toEqual([400, '/metricId']);
    expect(await issueOf({ metricId: missingId })).toEqual([400, '/metricId']);
    expect(await issueOf({ humanMetricId: judge })).toEqual([400, '/humanMetricId']);
    expect(await issueOf({ humanMetricId: missingId })).toEqual([400, '/humanMetricId']);
    expect(await issueOf({ humanMetricId: ints })).toEqual([400, '/humanMetricId']);
    expect(await issueOf({ testcases: 0 })).toEqual([400, '/testcases']);
    expect(await issueOf({ testcases: 1001 })).toEqual([400, '/testcases']);
    expect(await issueOf({ assigneeUserIds: [await newMember(), missingId] })).toEqual([
      400,
      '/assigneeUserIds/1',
    ]);
    expect((await draw(1)).status).toBe(200);
    const another = await newMetric(human);
    for (const { id } of [baseline, candidate])
      await request('POST', `/runs/${id}/rescore`, { metricIds: [another], recordIds: [] });
    expect(await issueOf({ humanMetricId: another })).toEqual([400, '/humanMetricId']);
  });

  test('asks by a human metric that joined the runs without any record', async () => {
    const { draw, baseline, candidate } = await judgedRuns({ testcases: 4, changed: 1 });
    const joined = await newMetric(human);
    for (const { id } of [baseline, candidate])
      await request('POST', `/runs/${id}/rescore`, { metricIds: [joined], recordIds: [] });
    const { body } = await draw(2, { humanMetricId: joined });
    const queue = await request('GET', `/review-queue?runId=${baseline.id}&metricId=${joined}`);
    expect(
      queue.body.data.map(({ record }: { record: { id: string } }) => record.id).sort(),
    ).toEqual(body.testcases.map(({ baselineRecordId }: Drawn) => baselineRecordId).sort());
  });

  test('of another organization is not there', async () => {
    const { judge, baseline, candidate } = await judgedRuns({ testcases: 2, changed: 0 });
    const query = new URLSearchParams({
      baselineRunId: baseline.id,
      candidateRunId: candidate.id,
      metricId: judge,
    });
    const { status, body } = await request('GET', `/label-draws?${query}`, undefined, {
      identity: { organizationId: missingId },
    });
    expect([status, body.details.issues[0].path]).toEqual([400, '?baselineRunId']);
  });
});
