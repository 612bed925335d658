import { missingId, useRunRecords } from '@assay/testing/run-records';
import { beforeAll, describe, expect, test } from 'vitest';

const { request, newMetric, newRun, newRecord, newTestset } = useRunRecords();

type Value = boolean | number;

const plan = (body: object, options = {}) => request('POST', '/plans', body, options);
const issuesOf = ({ status, body }: Awaited<ReturnType<typeof request>>) => [
  status,
  body.details.issues,
];

/** Runs of one testset with one metric; of each the values of the records of each testcase. */
async function pilots(outputType: string, ...runs: Value[][][]) {
  const { testset, testcaseIds } = await newTestset(runs[0]!.length);
  const metricId = await newMetric({ evalType: 'heuristic', outputType });
  const runIds: string[] = [];
  for (const values of runs) {
    const run = await newRun({ testsetId: testset, metricIds: [metricId] });
    for (const [index, repeats] of values.entries())
      for (const value of repeats) {
        const { id } = (await newRecord(run.id, { testcaseId: testcaseIds[index] })).body;
        const path = `/records/${id}/scores/${run.metricVersionIds[0]}`;
        await request('PUT', path, { score: { value } });
      }
    runIds.push(run.id);
  }
  return { metricId, testset, runIds, pilotRunId: runIds[0]!, pilotBaselineRunId: runIds[1]! };
}

const each = (count: number, valuesAt: (index: number) => Value[]): Value[][] =>
  Array.from({ length: count }, (_, index) => valuesAt(index));

let metrics: Record<'boolean' | 'int' | 'float' | 'people', string>;
beforeAll(async () => {
  const typed = (outputType: string) => newMetric({ evalType: 'heuristic', outputType });
  metrics = {
    boolean: await typed('boolean'),
    int: await typed('int'),
    float: await typed('float'),
    people: await newMetric({ evalType: 'human', outputType: 'boolean' }),
  };
});

describe('a plan from figures', () => {
  test('says how many testcases find a difference of pass rates by the test of comparisons', async () => {
    const { status, body } = await plan({
      metricId: metrics.boolean,
      difference: 0.1,
      baselineMean: 0.7,
      changeRate: 0.2,
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      metricId: metrics.boolean,
      name: 'm',
      outputType: 'boolean',
      testcases: 152,
      repeats: 1,
      votes: null,
      costUsd: 0,
      withThisTestset: null,
      assumptions: [
        expect.stringContaining('20.0 % of the testcases'),
        expect.stringContaining('compared alone'),
      ],
    });
  });

  test('asks for more the rarer a difference may be missed, and the stricter the level is', async () => {
    const sizeOf = async (change: object) =>
      (
        await plan({
          metricId: metrics.boolean,
          difference: 0.1,
          baselineMean: 0.5,
          changeRate: 0.3,
          ...change,
        })
      ).body.testcases as number;
    const sizes = [await sizeOf({}), await sizeOf({ power: 0.9 }), await sizeOf({ level: 0.99 })];
    expect(sizes[1]).toBeGreaterThan(sizes[0]! * 1.2);
    expect(sizes[2]).toBeGreaterThan(sizes[0]! * 1.3);
  });

  // statsmodels: TTestPower().solve_power(0.1 / 0.3, None, 0.05, 0.8) = 72.6
  test('takes for numbers the standard deviation of the differences', async () => {
    const { body } = await plan({
      metricId: metrics.float,
      difference: 0.1,
      standardDeviation: 0.3,
    });
    expect(body).toMatchObject({ testcases: 73, repeats: 1, costUsd: 0 });
  });

  test('says what the testset at hand can see', async () => {
    const { testset } = await newTestset(40);
    const figures = { metricId: metrics.float, standardDeviation: 0.3, testsetId: testset };
    const { body } = await plan({ ...figures, difference: 0.1 });
    // scipy: t.cdf(0.1 / 0.3 * sqrt(40) - t.ppf(.975, 39), 39); (t.ppf(.975, 39) + t.ppf(.8, 39)) * 0.3 / sqrt(40)
    expect(body.withThisTestset).toEqual({
      testcases: 40,
      power: expect.closeTo(0.5338, 3),
      detectableDifference: expect.closeTo(0.1363, 3),
      repeats: null,
      costUsd: null,
      reason: expect.stringContaining('A pilot run with repeats'),
    });
    const easy = (await plan({ ...figures, difference: 0.2 })).body.withThisTestset;
    expect(easy).toMatchObject({ testcases: 40, repeats: 1, costUsd: 0 });
    expect(easy).not.toHaveProperty('reason');
  });

  test('has a reason where no number of testcases is enough', async () => {
    const { status, body } = await plan({
      metricId: metrics.int,
      difference: 0.0001,
      standardDeviation: 2,
      testsetId: (await newTestset(0)).testset,
    });
    expect([status, body]).toMatchObject([
      200,
      {
        testcases: null,
        costUsd: null,
        reason: 'It would take more than 10,000,000 testcases.',
        withThisTestset: {
          testcases: 0,
          detectableDifference: null,
          power: 0,
          repeats: null,
          reason: 'The testset has no testcases.',
        },
      },
    ]);
  });

  test('knows no price of people', async () => {
    const figures = { difference: 0.1, baselineMean: 0.5, changeRate: 0.3 };
    const { body } = await plan({ metricId: metrics.people, ...figures });
    expect(body).toMatchObject({ costUsd: null, votes: null, testcases: expect.any(Number) });
  });
});

describe('a plan from a pilot', () => {
  test('takes from two runs the share of testcases that change', async () => {
    // 4 of 20 change: 3 gained, 1 lost.
    const { metricId, pilotRunId, pilotBaselineRunId } = await pilots(
      'boolean',
      each(20, (index) => [index < 12 || index === 19]),
      each(20, (index) => [index >= 3 && index < 13]),
    );
    const { body } = await plan({ metricId, difference: 0.1, pilotRunId, pilotBaselineRunId });
    const given = { metricId, difference: 0.1, baselineMean: 0.5, changeRate: 0.25 };
    expect(body.testcases).toBe((await plan(given)).body.testcases);
    expect(body).toMatchObject({
      withThisTestset: {
        testcases: 20,
        repeats: null,
        reason: expect.stringContaining('no repeats'),
      },
    });
    expect(body.assumptions[0]).toContain('25.0 % of the 20 testcases of the two pilot runs');
    const large = (await plan({ metricId, difference: 0.4, pilotRunId, pilotBaselineRunId })).body;
    expect(large.assumptions[1]).toContain('at least as many changes');
  });

  test('assumes of one run how far two versions agree, and says so', async () => {
    const { metricId, pilotRunId } = await pilots(
      'float',
      each(20, (index) => [index % 2 ? 0.4 : 0.6]),
    );
    const { body } = await plan({ metricId, difference: 0.1, pilotRunId });
    // The standard deviation of one run is that of the differences if values correlate by 0.5.
    const standardDeviation = 0.1 * Math.sqrt(20 / 19);
    const given = { metricId, difference: 0.1, standardDeviation };
    expect(body.testcases).toBe((await plan(given)).body.testcases);
    expect(body.assumptions[0]).toContain('assumed to correlate by 0.5');
    expect(body.withThisTestset.testcases).toBe(20);
  });

  test('proposes the repeats with which the testset is enough, where repeats are what varies', async () => {
    const { metricId, pilotRunId, pilotBaselineRunId } = await pilots(
      'float',
      each(12, () => [0.2, 0.8, 0.4, 0.6]),
      each(12, () => [0.2, 0.8, 0.4, 0.6]),
    );
    const both = { metricId, pilotRunId, pilotBaselineRunId };
    const { body } = await plan({ ...both, difference: 0.2 });
    // Both: variance 1/15 of a record, so 2/15 of a difference; t quantiles as above.
    expect(body).toMatchObject({ testcases: 29, repeats: 1 });
    expect(body.withThisTestset).toMatchObject({ testcases: 12, repeats: 3 });
    const hard = (await plan({ ...both, difference: 0.01 })).body;
    expect(hard.withThisTestset).toMatchObject({
      repeats: null,
      costUsd: null,
      reason: expect.stringMatching(/^Even 100 records of each testcase find the difference in /),
    });
    expect(hard.testcases).toBeGreaterThan(1000);
  });

  test('says that no repeats help where it is the testcases that differ', async () => {
    const { metricId, pilotRunId } = await pilots(
      'boolean',
      each(20, (index) => (index % 4 === 0 ? [true, false] : [index % 2 === 0, index % 2 === 0])),
    );
    const { body } = await plan({ metricId, difference: 0.05, pilotRunId });
    expect(body.assumptions[0]).toContain('true means');
    expect(body.testcases).toBeGreaterThan(20);
    expect(body.withThisTestset).toMatchObject({ repeats: null, reason: expect.any(String) });
  });

  test('has a reason where all values of the pilot are equal', async () => {
    const { metricId, pilotRunId } = await pilots(
      'int',
      each(5, () => [3]),
    );
    const { body } = await plan({ metricId, difference: 1, pilotRunId });
    const reason = 'All values of the pilot are equal, so it does not show how much they vary.';
    expect(body).toMatchObject({
      testcases: null,
      costUsd: null,
      reason,
      withThisTestset: { testcases: 5, detectableDifference: null, power: null, reason },
    });
  });

  test('plans for a pilot in which all pass: whatever differs then changes', async () => {
    const { metricId, pilotRunId } = await pilots(
      'boolean',
      each(5, () => [true]),
    );
    const { body } = await plan({ metricId, difference: 0.1, pilotRunId });
    const given = { metricId, difference: 0.1, baselineMean: 1, changeRate: 0.1 };
    expect(body.testcases).toBe((await plan(given)).body.testcases);
  });

  test('promises nothing of repeats where all records of the pilot pass', async () => {
    const { metricId, pilotRunId } = await pilots(
      'boolean',
      each(10, () => [true, true]),
    );
    const { body } = await plan({ metricId, difference: 0.2, pilotRunId });
    expect(body.testcases).toBeGreaterThan(10);
    expect(body.withThisTestset).toMatchObject({ testcases: 10, repeats: null });
  });

  test('is the same again under its Idempotency-Key', async () => {
    const { metricId, pilotRunId } = await pilots(
      'boolean',
      each(6, (index) => [index < 3]),
    );
    const body = { metricId, difference: 0.2, pilotRunId };
    const headers = { 'idempotency-key': `plan-${pilotRunId}` };
    const first = await plan(body, { headers });
    const again = await plan(body, { headers });
    expect([again.status, again.body]).toEqual([first.status, first.body]);
    expect(again.headers.get('idempotent-replayed')).toBe('true');
    expect((await plan({ ...body, difference: 0.1 }, { headers })).status).toBe(409);
  });
});

describe('a plan is refused', () => {
  const figures = { difference: 0.1, baselineMean: 0.5, changeRate: 0.3 };
  test.each<[string, object, string]>([
    ['without a difference', { difference: undefined }, '/difference'],
    ['with a difference of nothing', { difference: 0 }, '/difference'],
    ['with a power below a half', { power: 0.4 }, '/power'],
    ['with certainty', { power: 1 }, '/power'],
    ['with a level that is none', { level: 0.5 }, '/level'],
    ['with a change rate above 1', { changeRate: 1.5 }, '/changeRate'],
    ['without evidence', { baselineMean: undefined, changeRate: undefined }, '/pilotRunId'],
    ['without the pass rate', { baselineMean: undefined }, '/baselineMean'],
    ['without the change rate', { changeRate: undefined }, '/changeRate'],
    ['with figures of another type', { standardDeviation: 0.3 }, '/standardDeviation'],
    ['with figures and a pilot', { pilotRunId: missingId }, '/baselineMean'],
    ['with a baseline of no pilot', { pilotBaselineRunId: missingId }, '/pilotRunId'],
    ['with a difference beyond the change rate', { difference: 0.4 }, '/difference'],
    ['with more changes than the pass rate allows', { baselineMean: 0.99 }, '/changeRate'],
    [
      'with a difference that no pass rate allows',
      { difference: 0.6, changeRate: 0.7 },
      '/difference',
    ],
    ['for a testset that does not exist', { testsetId: missingId }, '/testsetId'],
    ['for a metric that does not exist', { metricId: missingId }, '/metricId'],
  ])('%s, with the place', async (_what, change, path) => {
    const { status, body } = await plan({ metricId: metrics.boolean, ...figures, ...change });
    expect([status, body.details.issues[0].path]).toEqual([400, path]);
  });

  test('with a difference or a deviation that is larger than the scale', async () => {
    const large = { metricId: metrics.float, difference: 1.5, standardDeviation: 1.2 };
    expect(issuesOf(await plan(large))).toEqual([
      400,
      [
        {
          path: '/difference',
          message: 'cannot be more than 1: no two values of this metric differ by more',
        },
        {
          path: '/standardDeviation',
          message: 'cannot be more than 1: no two values of this metric differ by more',
        },
      ],
    ]);
  });

  test('with a pilot that has no scores, lacks the metric, or is not there', async () => {
    const { metricId, pilotRunId, testset } = await pilots('boolean', [[true], []]);
    const empty = await newRun({ testsetId: testset, metricIds: [metricId] });
    const other = await newRun({ testsetId: testset });
    const elsewhere = await newRun({ metricIds: [metricId] });
    const refused = async (pilot: object) =>
      issuesOf(await plan({ metricId, difference: 0.1, ...pilot }));
    const tooFew = 'has fewer than two testcases with a score of this metric';
    expect(await refused({ pilotRunId })).toEqual([
      400,
      [{ path: '/pilotRunId', message: tooFew }],
    ]);
    expect(await refused({ pilotRunId: empty.id })).toEqual([
      400,
      [{ path: '/pilotRunId', message: tooFew }],
    ]);
    expect(await refused({ pilotRunId: other.id })).toEqual([
      400,
      [{ path: '/pilotRunId', message: 'is a run without this metric' }],
    ]);
    expect(await refused({ pilotRunId: missingId })).toEqual([
      400,
      [{ path: '/pilotRunId', message: 'does not belong to this organization' }],
    ]);
    expect(await refused({ pilotRunId, pilotBaselineRunId: pilotRunId })).toEqual([
      400,
      [{ path: '/pilotBaselineRunId', message: 'must be another run than the pilot' }],
    ]);
    expect(await refused({ pilotRunId, pilotBaselineRunId: elsewhere.id })).toEqual([
      400,
      [{ path: '/pilotBaselineRunId', message: "is a run of another testset than the pilot's" }],
    ]);
    expect((await refused({ pilotRunId, pilotBaselineRunId: empty.id }))[0]).toBe(400);
  });

  test('with a difference that the mean of the pilot does not leave room for', async () => {
    const { metricId, pilotRunId } = await pilots(
      'boolean',
      each(10, (index) => [index < 6]),
    );
    expect(issuesOf(await plan({ metricId, difference: 0.7, pilotRunId }))).toEqual([
      400,
      [
        {
          path: '/difference',
          message: "cannot be more than 0.6: the pilot's mean is 0.6, on a scale from 0 to 1",
        },
      ],
    ]);
  });

  test("for another organization's metric, pilot and testset as for ones that do not exist", async () => {
    const { metricId, pilotRunId, testset } = await pilots(
      'boolean',
      each(4, (index) => [index < 2]),
    );
    const as = { identity: { organizationId: missingId } };
    const foreign = await plan({ metricId, difference: 0.1, pilotRunId }, as);
    expect(issuesOf(foreign)).toEqual([
      400,
      [{ path: '/metricId', message: 'does not belong to this organization' }],
    ]);
    const project = (await request('POST', '/projects', { name: 'theirs', description: '' }, as))
      .body.id;
    const body = { name: 'm', evalType: 'heuristic', outputType: 'boolean' };
    const own = (await request('POST', `/projects/${project}/metrics`, body, as)).body.id;
    const message = 'does not belong to this organization';
    expect(issuesOf(await plan({ metricId: own, difference: 0.1, pilotRunId }, as))).toEqual([
      400,
      [{ path: '/pilotRunId', message }],
    ]);
    const withTestset = { metricId: own, ...figures, testsetId: testset };
    expect(issuesOf(await plan(withTestset, as))).toEqual([400, [{ path: '/testsetId', message }]]);
  });
});
