import { newId } from '@assay/runtime/ids';
import { heuristic, missingId, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { create, getRun, newMetric, newRecord, newRun, newTestset, projectId, request } =
  useRunRecords();

/** A testset of testcases with keys: two in German, one in English. */
async function languages() {
  const { testset } = await newTestset(0);
  const items = [
    { key: 'one', jsonData: { question: 'a', lang: 'de', size: 1 } },
    { key: 'two', jsonData: { question: 'b', lang: 'en', size: 2 } },
    { key: 'three', jsonData: { question: 'c', lang: ['de', 'at'], size: 1.0 } },
  ];
  const made = await create(`/testsets/${testset}/testcases`, { items });
  return { testset, testcaseIds: made.items.map(({ id }: { id: string }) => id) as string[] };
}

const begin = (body: object) =>
  request('POST', `/projects/${projectId()}/runs`, { metricIds: [], ...body });
async function issuesOf(body: object) {
  const reply = await begin(body);
  return [reply.status, reply.body.details?.issues];
}

describe('a run over a part of its testset', () => {
  test('over so many testcases expects these times its repeats, and completes with them', async () => {
    const { testset, testcaseIds } = await newTestset(5);
    const metricIds = [await newMetric({ ...heuristic, builtin: undefined })];
    const run = await newRun({ metricIds, testsetId: testset, numTestcases: 2, repeats: 2 });
    const part = { numTestcases: 2, numTestsetTestcases: 5, numExpectedRecords: 4 };
    expect(run).toMatchObject(part);
    expect(run).not.toHaveProperty('where');
    for (const testcaseId of [testcaseIds[1], testcaseIds[1], testcaseIds[4]])
      await newRecord(run.id, { testcaseId });
    expect(await getRun(run.id)).toMatchObject({ ...part, status: 'running_execution' });
    const metricId = metricIds[0];
    const scores = [{ metricId, score: { value: true } }];
    await newRecord(run.id, { testcaseId: testcaseIds[4], scores });
    expect(await getRun(run.id)).toMatchObject({
      status: 'awaiting_human_scoring',
      scoring: { expected: 4, scored: 1, pending: 3 },
    });
  });

  test('by data or by keys expects those that match, and says which in reads and lists', async () => {
    const { testset, testcaseIds } = await languages();
    const where = { '/lang': 'de' };
    const byData = await newRun({ testsetId: testset, where });
    expect(byData).toMatchObject({ numTestcases: 2, numTestsetTestcases: 3, where });
    const both = await newRun({ testsetId: testset, where, keys: ['two', 'three', 'three'] });
    const shown = { numTestcases: 1, where, keys: ['two', 'three'], numExpectedRecords: 1 };
    expect(both).toMatchObject(shown);
    const listed = await request('GET', `/projects/${projectId()}/runs?testsetId=${testset}`);
    expect(listed.body.data[0]).toMatchObject(shown);
    await newRecord(both.id, { testcaseId: testcaseIds[2] });
    expect((await getRun(both.id)).status).toBe('completed');
    // The part is that of the beginning.
    await create(`/testsets/${testset}/testcases`, { items: [{ jsonData: { lang: 'de' } }] });
    expect(await getRun(byData.id)).toMatchObject({ numTestcases: 2, numTestsetTestcases: 3 });
  });

  test('compares values by what they are, and keeps the digits of what was sent', async () => {
    const { testset } = await languages();
    const raw = `{"metricIds":[],"testsetId":"${testset}","where":{"/size":1.00}}`;
    const reply = await request('POST', `/projects/${projectId()}/runs`, undefined, { raw });
    expect([reply.status, reply.body.numTestcases]).toEqual([201, 2]);
    expect(reply.text).toContain('"where":{"/size":1.00}');
    expect((await request('GET', `/runs/${reply.body.id}`)).text).toContain('{"/size":1.00}');
  });

  test('takes a record of any testcase of its testset, which counts like the others', async () => {
    const { testset, testcaseIds } = await languages();
    const run = await newRun({ testsetId: testset, keys: ['one'] });
    expect((await newRecord(run.id, { testcaseId: testcaseIds[1] })).status).toBe(201);
    expect(await getRun(run.id)).toMatchObject({ numRecords: 1, status: 'completed' });
  });

  test('that cannot be is a 400 with its place', async () => {
    const { testset } = await languages();
    const on = { testsetId: testset };
    const atCount = (message: string) => [400, [{ path: '/numTestcases', message }]];
    expect(await issuesOf({ ...on, numTestcases: 4 })).toEqual(
      atCount('must be at most 3, the testcases of the testset'),
    );
    expect((await begin({ ...on, numTestcases: 0 })).status).toBe(400);
    expect(await issuesOf({ ...on, numTestcases: 1, keys: ['one'] })).toEqual(
      atCount('cannot be given with `where` or `keys`, which say how many'),
    );
    const { testset: empty } = await newTestset(0);
    expect(await issuesOf({ testsetId: empty, numTestcases: 1 })).toEqual(
      atCount('has to be left out: the testset has no testcases'),
    );
    expect(await issuesOf({ ...on, keys: ['one', 'four', 'five'] })).toEqual([
      400,
      [1, 2].map((at) => ({
        path: `/keys/${at}`,
        message: 'is not the key of a testcase of the testset',
      })),
    ]);
    expect(await issuesOf({ ...on, where: { '/lang': 'it' } })).toEqual([
      400,
      [{ path: '/where', message: 'holds for no testcase of the testset' }],
    ]);
    expect(await issuesOf({ ...on, where: { '/lang': 'de' }, keys: ['two'] })).toEqual([
      400,
      [{ path: '/where', message: 'holds for none of the testcases with these keys' }],
    ]);
    expect(await issuesOf({ ...on, where: { lang: 'de' } })).toEqual([
      400,
      [{ path: '/where/lang', message: 'must be a JSON Pointer, such as /lang' }],
    ]);
    expect(await issuesOf({ where: { '/lang': 'de' } })).toEqual([
      400,
      [{ path: '/where', message: 'needs a testset, whose testcases are meant' }],
    ]);
    const [status, issues] = await issuesOf({ ...on, where: { '/a': 'x'.repeat(5000) } });
    expect([status, issues[0]]).toEqual([
      400,
      { path: '/where', message: 'must have at most 4096 bytes' },
    ]);
    expect((await begin({ ...on, keys: [] })).status).toBe(400);
    expect((await begin({ ...on, keys: Array(1001).fill('one') })).status).toBe(400);
  });
});

describe('the newest run to compare with', () => {
  const clientMetric = () => newMetric({ evalType: 'heuristic', outputType: 'boolean' });
  const error = { name: 'Down', message: 'model down' };

  interface Plan {
    metricId: string;
    testcaseIds: string[];
    errors?: number;
    scored?: number;
  }

  /** A completed run with a record of each of these testcases. */
  async function completed(body: object, plan: Plan) {
    const { metricId, testcaseIds, errors = 0, scored = testcaseIds.length } = plan;
    const run = await newRun({ metricIds: [metricId], ...body });
    for (const [index, testcaseId] of testcaseIds.entries()) {
      const failed = index < errors ? { error, outputs: {} } : {};
      const value = index < scored ? true : 'no boolean';
      const scores = index < errors ? [] : [{ metricId, score: { value } }];
      const reply = await newRecord(run.id, { testcaseId, ...failed, scores });
      expect(reply.status, reply.text).toBe(201);
    }
    expect((await getRun(run.id)).status).toBe('completed');
    return run.id as string;
  }
  const find = (body: object) => request('POST', `/projects/${projectId()}/runs/newest`, body);
  async function found(body: object) {
    const { status, body: reply, text } = await find(body);
    expect(status, text).toBe(200);
    const passedOver = reply.passedOver.map(
      ({ runId, reason }: { runId: string; reason: string }) => [runId, reason],
    );
    return { runId: reply.run?.id ?? null, passedOver };
  }

  test('passes over runs without a common score, with few of the testcases, and with many errors', async () => {
    const { testset, testcaseIds } = await newTestset(20);
    const [metricId, other] = [await clientMetric(), await clientMetric()];
    const on = { testsetId: testset };
    const good = await completed(on, { metricId, testcaseIds, errors: 2 });
    const failing = await completed({ ...on, name: 'Down' }, { metricId, testcaseIds, errors: 3 });
    const part = { ...on, numTestcases: 17 };
    const small = await completed(part, { metricId, testcaseIds: testcaseIds.slice(3) });
    const others = await completed(on, { metricId: other, testcaseIds });
    const invalid = await completed(on, { metricId, testcaseIds, scored: 0 });
    const candidate = await completed(on, { metricId, testcaseIds });
    expect(await found({ candidate: { runId: candidate } })).toEqual({
      runId: good,
      passedOver: [
        [invalid, 'no_common_score'],
        [others, 'no_common_score'],
        [small, 'few_testcases'],
        [failing, 'many_errors'],
      ],
    });
    const { passedOver } = (await find({ candidate: { runId: candidate } })).body;
    expect(passedOver.map(({ message }: { message: string }) => message)).toEqual([
      `Passed over run ${invalid}: it has no score of a metric of the candidate.`,
      `Passed over run ${others}: it has no score of a metric of the candidate.`,
      `Passed over run ${small}: it has records of 17 of the 20 testcases that are compared.`,
      'Passed over run "Down": 3 of its 20 records are errors.',
    ]);
    // Without a candidate there is nothing to be compared.
    expect(await found(on)).toEqual({ runId: candidate, passedOver: [] });
  });

  test('needs the testcases of the candidate alone, and of these the ones that were there', async () => {
    const { testset, testcaseIds } = await newTestset(10);
    const metricId = await clientMetric();
    const on = { testsetId: testset };
    const first = await completed(on, { metricId, testcaseIds });
    const items = Array.from({ length: 10 }, (_, at) => ({
      key: `late ${at}`,
      jsonData: { question: 'new', late: true },
    }));
    const made = await create(`/testsets/${testset}/testcases`, { items });
    const lateIds = made.items.map(({ id }: { id: string }) => id) as string[];
    const whole = await newRun({ metricIds: [metricId], ...on });
    expect((await found({ candidate: { runId: whole.id } })).runId).toBe(first);
    const late = await newRun({ metricIds: [metricId], ...on, where: { '/late': true } });
    expect(await found({ candidate: { runId: late.id } })).toEqual({
      runId: null,
      passedOver: [[first, 'few_testcases']],
    });
    const [four, nine] = [lateIds.slice(0, 4), lateIds.slice(0, 9)];
    const halves = await completed({ ...on, numTestcases: 4 }, { metricId, testcaseIds: four });
    expect((await found({ candidate: { runId: late.id } })).runId).toBeNull();
    const nearly = await completed({ ...on, numTestcases: 9 }, { metricId, testcaseIds: nine });
    expect((await found({ candidate: { runId: late.id } })).runId).toBe(nearly);
    // A run over so many is about the testcases of its records.
    expect((await found({ candidate: { runId: halves } })).runId).toBe(nearly);
    const keyed = await newRun({ metricIds: [metricId], ...on, keys: ['late 1', 'late 2'] });
    expect((await found({ candidate: { runId: keyed.id } })).runId).toBe(nearly);
    const begun = await newRun({ metricIds: [metricId], ...on, numTestcases: 3 });
    expect((await found({ candidate: { runId: begun.id } })).runId).toBe(nearly);
  });

  test('is sought for a run that is still to be made, too, by label, whole name and version', async () => {
    const { testset, testcaseIds } = await newTestset(3);
    const metricId = await clientMetric();
    const on = { testsetId: testset };
    const labels = { branch: 'main' };
    const main = await completed({ ...on, labels, name: 'Nightly' }, { metricId, testcaseIds });
    const longer = await completed({ ...on, name: 'Nightly 2' }, { metricId, testcaseIds });
    const candidate = { testsetId: testset, metricIds: [metricId] };
    expect(await found({ candidate })).toEqual({ runId: longer, passedOver: [] });
    expect((await found({ candidate, name: 'Nightly' })).runId).toBe(main);
    expect((await found({ candidate, label: 'branch:main' })).runId).toBe(main);
    expect((await found({ candidate, systemVersionId: missingId })).runId).toBeNull();
    const unknown = { ...candidate, testcaseIds: [missingId] };
    expect((await found({ candidate: unknown })).passedOver).toHaveLength(2);
    expect((await found({ candidate: { ...candidate, metricIds: [newId()] } })).runId).toBeNull();
    expect((await found({ candidate: { testsetId: testset } })).runId).toBe(longer);
  });

  test('that was chosen is taken, with a warning where a search would pass it over', async () => {
    const { testset, testcaseIds } = await newTestset(3);
    const metricId = await clientMetric();
    const on = { testsetId: testset };
    const failing = await completed({ ...on, name: 'Down' }, { metricId, testcaseIds, errors: 1 });
    const good = await completed(on, { metricId, testcaseIds });
    const candidate = { runId: await completed(on, { metricId, testcaseIds }) };
    const { run, warning } = (await find({ candidate, runId: failing })).body;
    expect([run.id, warning.reason, warning.message]).toEqual([
      failing,
      'many_errors',
      'Run "Down" was chosen by hand or by its name. A search would pass it over: 1 of its 3 records is an error.',
    ]);
    expect((await find({ candidate, runId: good })).body).not.toHaveProperty('warning');
  });

  test('is asked for with a candidate and runs of this project', async () => {
    const issues = async (body: object) => (await find(body)).body.details?.issues;
    expect(await issues({ candidate: {} })).toEqual([
      {
        path: '/candidate',
        message: 'must have `runId`, or `testsetId` for a run to be made',
      },
    ]);
    const belongs = 'does not belong to this project';
    expect(await issues({ candidate: { runId: missingId } })).toEqual([
      { path: '/candidate/runId', message: belongs },
    ]);
    expect(await issues({ runId: missingId })).toEqual([{ path: '/runId', message: belongs }]);
    const run = await newRun();
    expect(await issues({ candidate: { runId: run.id } })).toEqual([
      { path: '/candidate/runId', message: 'is a run without a testset' },
    ]);
    expect((await request('POST', `/projects/${missingId}/runs/newest`, {})).status).toBe(404);
    expect((await find({ label: 'main' })).status).toBe(400);
  });

  test('ends after fifty that were passed over', async () => {
    const { testset, testcaseIds } = await newTestset(1);
    const metricId = await clientMetric();
    const plan = { metricId, testcaseIds, errors: 1 };
    await completed({ testsetId: testset }, { metricId, testcaseIds });
    for (let count = 0; count < 50; count++) await completed({ testsetId: testset }, plan);
    const candidate = { testsetId: testset, metricIds: [metricId] };
    const { runId, passedOver } = await found({ candidate });
    expect([runId, passedOver.length]).toEqual([null, 50]);
  });
});
