import { asScoring, missingId, useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';

const { request, newAnnotatedRun, newMember, newMetric, newRecord, newRun } = useRunRecords();

const summaryOf = async ({ id }: { id: string }) =>
  (await request('GET', `/runs/${id}/summary`)).body.metrics[0];

describe('a summary', () => {
  test('has the pass rate with its interval, and counts what failed', async () => {
    const run = await newRun({ metricIds: [await newMetric()] });
    const [metricVersionId] = run.metricVersionIds;
    const provenance = { metricVersionId, evaluator: 'exact_match', durationMs: 1, attempts: 1 };
    const scored = (value: boolean) => ({
      kind: 'score',
      value,
      reasoning: 'same',
      source: 'heuristic',
      provenance,
    });
    const failure = { kind: 'failure', code: 'timeout', message: 'too slow', attempts: 6 };
    const outcomes = [...Array(6).fill(scored(true)), ...Array(3).fill(scored(false)), failure];
    const records = await Promise.all(
      outcomes.map(async () => (await newRecord(run.id)).body.id as string),
    );
    const judgements = outcomes.map((outcome, index) => ({
      recordId: records[index],
      metricVersionId,
      outcome,
    }));
    await request('POST', '/internal/judgements', { runId: run.id, judgements }, asScoring);
    const { metrics } = (await request('GET', `/runs/${run.id}/summary`)).body;
    expect(metrics).toHaveLength(1);
    expect(metrics[0]).toMatchObject({
      metricId: run.metricIds[0],
      metricVersionId: run.metricVersionIds[0],
      evalType: 'heuristic',
      outputType: 'boolean',
      passingThreshold: null,
      count: 9,
      failed: 1,
      mean: 6 / 9,
      passRate: 6 / 9,
      confidenceInterval: { level: 0.95 },
      method: 'Wilson score',
      distribution: [
        { value: false, count: 3 },
        { value: true, count: 6 },
      ],
    });
    // R: binom::binom.wilson(6, 9)
    expect(metrics[0].confidenceInterval.low).toBeCloseTo(0.3542, 4);
    expect(metrics[0].confidenceInterval.high).toBeCloseTo(0.8794, 4);
  });

  test('of a run without metrics is empty, and one without records has no values', async () => {
    const empty = await newRun();
    expect((await request('GET', `/runs/${empty.id}/summary`)).body).toEqual({
      runId: empty.id,
      metrics: [],
      errors: expect.objectContaining({ name: 'errors', count: 0, mean: null, passRate: null }),
    });
    const run = await newRun({ metricIds: [await newMetric()] });
    expect(await summaryOf(run)).toMatchObject({
      count: 0,
      mean: null,
      passRate: null,
      confidenceInterval: null,
      failed: 0,
    });
  });

  test("of a run that is not there, or another organization's, is a 404", async () => {
    const run = await newRun();
    const path = `/runs/${run.id}/summary`;
    const { status, body } = await request('GET', path, undefined, {
      identity: { organizationId: missingId },
    });
    expect([status, body.code]).toEqual([404, 'NOT_FOUND']);
    expect((await request('GET', `/runs/${missingId}/summary`)).status).toBe(404);
  });
});

describe("a summary of several annotators' scores", () => {
  test('has one value a record, and none of a record that still waits for an annotator', async () => {
    const members = [await newMember(), await newMember(), await newMember()];
    const given = async (outputType: string, values: unknown[][]) => {
      const { run, recordIds, put } = await newAnnotatedRun({
        outputType,
        annotators: 3,
        records: values.length,
      });
      for (const [index, ofRecord] of values.entries())
        for (const [place, value] of ofRecord.entries())
          await put(recordIds[index]!, members[place]!, value);
      return summaryOf(run);
    };
    expect(
      await given('int', [
        [1, 5, 4],
        [2, 2, 5],
        [5, 5],
      ]),
    ).toMatchObject({ count: 2, mean: 3, passRate: 0.5 });
    expect(
      await given('boolean', [[true, true, false], [false, true, false], [true]]),
    ).toMatchObject({
      count: 2,
      mean: 0.5,
      passRate: 0.5,
    });
    expect(await given('float', [[0.2, 0.3, 0.7]])).toMatchObject({
      count: 1,
      mean: expect.closeTo(0.4, 12),
    });
  });

  test("a score whose value does not fit is left out of its record's value, and a tie of booleans is false", async () => {
    const members = [await newMember(), await newMember(), await newMember()];
    const { run, recordIds, put } = await newAnnotatedRun({
      outputType: 'boolean',
      annotators: 3,
      records: 1,
    });
    for (const [place, value] of [true, 'yes', false].entries())
      await put(recordIds[0]!, members[place]!, value);
    expect(await summaryOf(run)).toMatchObject({
      count: 1,
      mean: 0,
      agreement: { records: 1, annotators: 2 },
    });
  });

  test("tells Krippendorff's alpha of his example (2011) with four annotators and scores missing, and no kappa", async () => {
    const members = [await newMember(), await newMember(), await newMember(), await newMember()];
    const ratings = ['123321412...', '1233224125.3', '.3332342251.', '12332441251.'];
    const { run, recordIds, put } = await newAnnotatedRun({ annotators: 4, records: 12 });
    for (const [place, ofMember] of ratings.entries())
      for (const [index, value] of [...ofMember].entries())
        if (value !== '.') await put(recordIds[index]!, members[place]!, Number(value));
    expect((await summaryOf(run)).agreement).toEqual({
      records: 11,
      annotators: 4,
      kappa: null,
      alpha: expect.closeTo(0.8491071428571428, 12),
    });
  });

  test.each([
    // sklearn.metrics.cohen_kappa_score(a, b, weights='quadratic', labels=[1, 2, 3, 4, 5])
    [
      'int',
      [1, 2, 3, 4, 5, 3, 2, 1, 4, 5, 5, 2, 3, 3, 1],
      [1, 2, 3, 5, 4, 3, 1, 1, 4, 5, 3, 2, 4, 3, 2],
      0.8355663824604141,
    ],
    // By hand: 6 of 10 agree; chance 0.5 * 0.7 + 0.5 * 0.3 = 0.5.
    [
      'boolean',
      [...'1111100000'].map((text) => text === '1'),
      [...'1111011100'].map((text) => text === '1'),
      0.2,
    ],
    ['float', [0.1, 0.5, 0.9], [0.1, 0.5, 0.9], null],
  ])('tells the kappa of two annotators: %s', async (outputType, first, second, kappa) => {
    const members = [await newMember(), await newMember()];
    const { run, recordIds, put } = await newAnnotatedRun({
      outputType,
      annotators: 2,
      records: first.length,
    });
    for (const [index, record] of recordIds.entries()) {
      await put(record, members[0]!, first[index]);
      await put(record, members[1]!, second[index]);
    }
    const { agreement } = await summaryOf(run);
    expect(agreement).toMatchObject({
      records: first.length,
      annotators: 2,
      kappa: kappa && expect.closeTo(kappa, 12),
    });
  });

  test('tells of no agreement where nobody scored what another did, and where one annotator is enough', async () => {
    const { run, recordIds, put } = await newAnnotatedRun({ annotators: 2, records: 2 });
    for (const record of recordIds) await put(record, await newMember(), 3);
    expect(await summaryOf(run)).toMatchObject({
      count: 0,
      agreement: { records: 0, annotators: 0, kappa: null, alpha: null },
    });
    const alone = await newAnnotatedRun({ annotators: 1, records: 1 });
    await alone.put(alone.recordIds[0]!, await newMember(), 3);
    expect(await summaryOf(alone.run)).not.toHaveProperty('agreement');
  });
});
