import { payloads, useRunRecords } from '@assay/testing/run-records';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { decide } from '../src/domain/comparison/verdict.ts';
import { summarizeValues } from '../src/domain/metric-statistics.ts';
import { compare } from './compared-pairs.ts';

const { create, request, newMetric, newRun, newTestset } = useRunRecords();

type Pairs = Parameters<typeof compare>[0];
const verdictOf = (compared: ReturnType<typeof compare>) => decide([compared], 0.95)[0]!.verdict;

/** Pairs of a scale that is neither 0 to 1 nor in the usual direction, and some of them all equal. */
const pairsOn = (low: number, high: number) =>
  fc.array(fc.tuple(fc.integer({ min: low, max: high }), fc.integer({ min: low, max: high })), {
    minLength: 2,
    maxLength: 40,
  });
const sidesOf = (pairs: readonly (readonly [number, number])[]) => ({
  baseline: pairs.map(([baseline]) => baseline),
  candidate: pairs.map(([, candidate]) => candidate),
});

describe('the comparison of one metric', () => {
  const scale = { outputType: 'float' as const, min: -20, max: 80 };

  test('on a mirrored scale with the other direction has the same verdict and the mirrored interval', () => {
    fc.assert(
      fc.property(pairsOn(-20, 80), fc.boolean(), (pairs, lowerIsBetter) => {
        const own: Pairs = { ...scale, lowerIsBetter, ...sidesOf(pairs) };
        const mirrored: Pairs = {
          ...{ outputType: 'float', min: -80, max: 20, lowerIsBetter: !lowerIsBetter },
          ...sidesOf(pairs.map(([one, other]) => [-one, -other])),
        };
        const [compared, mirror] = [compare(own), compare(mirrored)];
        expect(verdictOf(mirror)).toBe(verdictOf(compared));
        expect(mirror.pValue).toBe(compared.pValue);
        expect([mirror.improved, mirror.regressed]).toEqual([
          compared.improved,
          compared.regressed,
        ]);
        const { confidenceInterval: interval } = compared;
        expect(mirror.confidenceInterval).toEqual(
          interval && {
            low: expect.closeTo(-interval.high, 9),
            high: expect.closeTo(-interval.low, 9),
            level: 0.95,
          },
        );
      }),
      { numRuns: 20 },
    );
  });

  test('in the other direction alone has the same figures and the opposite verdict', () => {
    const opposite = { better: 'worse', worse: 'better', undecided: 'undecided' };
    fc.assert(
      fc.property(pairsOn(-20, 80), (pairs) => {
        const compared = compare({ ...scale, ...sidesOf(pairs) });
        const turned = compare({ ...scale, lowerIsBetter: true, ...sidesOf(pairs) });
        expect(verdictOf(turned)).toBe(opposite[verdictOf(compared)]);
        expect(turned.confidenceInterval).toEqual(compared.confidenceInterval);
        expect([turned.improved, turned.regressed]).toEqual([
          compared.regressed,
          compared.improved,
        ]);
      }),
      { numRuns: 20 },
    );
  });

  test('stays within the scale, and says of 0 to 100 what it says of 0 to 1', () => {
    fc.assert(
      fc.property(pairsOn(0, 100), (pairs) => {
        const wide = compare({ outputType: 'float', min: 0, max: 100, ...sidesOf(pairs) });
        const usual = compare({
          outputType: 'float',
          ...sidesOf(pairs.map(([one, other]) => [one / 100, other / 100])),
        });
        expect(verdictOf(wide)).toBe(verdictOf(usual));
        const { confidenceInterval: interval } = wide;
        if (!interval) return;
        expect(interval.low).toBeGreaterThanOrEqual(-100);
        expect(interval.high).toBeLessThanOrEqual(100);
        expect(interval.low).toBeCloseTo(100 * usual.confidenceInterval!.low, 6);
        expect(interval.high).toBeCloseTo(100 * usual.confidenceInterval!.high, 6);
      }),
      { numRuns: 20 },
    );
  });
});

describe('the summary of one metric', () => {
  test('on a mirrored scale with the other direction has the same pass rate and mirrored figures', () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 0, max: 50 }), { minLength: 2, maxLength: 60 }),
        fc.integer({ min: 0, max: 50 }),
        (values, passingThreshold) => {
          const summary = summarizeValues({
            ...{ outputType: 'float', min: 0, max: 50, passingThreshold },
            values: Float64Array.from(values),
          });
          const mirror = summarizeValues({
            ...{ outputType: 'float', min: -50, max: 0, lowerIsBetter: true },
            passingThreshold: -passingThreshold,
            values: Float64Array.from(values, (value) => -value),
          });
          expect(mirror.passRate).toBe(summary.passRate);
          expect(mirror.mean).toBeCloseTo(-summary.mean!, 9);
          const { low, high } = summary.confidenceInterval!;
          expect(low).toBeGreaterThanOrEqual(0);
          expect(high).toBeLessThanOrEqual(50);
          expect(mirror.confidenceInterval!.low).toBeCloseTo(-high, 9);
          expect(mirror.confidenceInterval!.high).toBeCloseTo(-low, 9);
        },
      ),
      { numRuns: 20 },
    );
  });

  test('of booleans whose true is bad passes where they are false, also in pass@k', () => {
    const values = Float64Array.of(1, 0, 0, 0, 1, 1);
    const testcases = Int32Array.of(0, 0, 1, 1, 2, 2);
    const summary = summarizeValues({
      outputType: 'boolean',
      lowerIsBetter: true,
      passingThreshold: null,
      values,
      testcases,
    });
    expect([summary.mean, summary.passRate]).toEqual([0.5, 0.5]);
    expect(summary.repeats!.passes[1]).toMatchObject({
      k: 2,
      passAtK: { value: 2 / 3 },
      passHatK: { value: 1 / 3 },
    });
  });

  test('without an end has no pass rate, and bins from the least value to the largest', () => {
    const summary = summarizeValues({
      ...{ outputType: 'float', min: 1, max: null, lowerIsBetter: true, passingThreshold: null },
      values: Float64Array.from({ length: 40 }, (_, place) => 10 + place ** 2),
    });
    expect(summary.passRate).toBeNull();
    expect(summary.distribution[0]).toMatchObject({ low: 10 });
    expect(summary.distribution[9]).toMatchObject({ high: 10 + 39 ** 2 });
    expect(summary.confidenceInterval!.low).toBeGreaterThanOrEqual(1);
  });
});

const float = { evalType: 'heuristic', outputType: 'float', builtin: undefined };

/** A run over the testcases, scored by clients; null stands for an error of the system. */
async function scoredRun(
  { testset, testcaseIds }: { testset: string; testcaseIds: string[] },
  metricIds: string[],
  answers: (unknown[] | null)[],
) {
  const run = await newRun({ testsetId: testset, metricIds });
  const lines = answers.map((scores, index) => {
    const { outputs, ...asked } = payloads;
    const record = { ...asked, testcaseId: testcaseIds[index] };
    if (scores === null) return { ...record, error: { message: 'down' } };
    const given = scores.map((value, place) => ({ metricId: metricIds[place], score: { value } }));
    return { ...record, outputs, scores: given };
  });
  const reply = await request('POST', `/runs/${run.id}/records/bulk`, undefined, {
    raw: lines.map((line) => `${JSON.stringify(line)}\n`).join(''),
    headers: { 'content-type': 'application/x-ndjson' },
  });
  for (const line of reply.text.trim().split('\n'))
    expect(JSON.parse(line)).toMatchObject({ status: 201 });
  return run.id as string;
}

describe('two runs scored by BLEU from 0 to 100, toxicity and perplexity', () => {
  async function twoRuns({ withErrors = false } = {}) {
    const testset = await newTestset(12);
    const metricIds = [
      await newMetric({ ...float, name: 'BLEU', min: 0, max: 100 }),
      await newMetric({ ...float, name: 'Toxicity', lowerIsBetter: true }),
      await newMetric({ ...float, name: 'Perplexity', min: 1, max: null, lowerIsBetter: true }),
    ];
    const answers = (bleu: number, toxicity: number, perplexity: number) =>
      testset.testcaseIds.map((_, index) => [
        bleu + index,
        toxicity + index / 100,
        perplexity + index,
      ]);
    const baselineRunId = await scoredRun(testset, metricIds, answers(60, 0.02, 20));
    const candidateRunId = await scoredRun(testset, metricIds, [
      ...(withErrors ? [null] : []),
      ...answers(37.2, 0.3, 15).slice(withErrors ? 1 : 0),
    ]);
    return { metricIds, baselineRunId, candidateRunId };
  }

  test('are told with scale, direction, and the verdict that follows it', async () => {
    const { baselineRunId, candidateRunId } = await twoRuns();
    const { metrics } = await create('/comparisons', { baselineRunId, candidateRunId });
    expect(metrics).toMatchObject([
      { name: 'BLEU', min: 0, max: 100, verdict: 'worse', regressed: 12 },
      { name: 'Toxicity', lowerIsBetter: true, verdict: 'worse', regressed: 12 },
      { name: 'Perplexity', min: 1, max: null, lowerIsBetter: true, verdict: 'better' },
    ]);
    expect(metrics[0].difference).toBeCloseTo(-22.8, 6);
    expect(metrics[1].difference).toBeCloseTo(0.28, 6);
    expect(metrics[1].confidenceInterval.low).toBeGreaterThanOrEqual(0);
    expect(metrics[0]).not.toHaveProperty('lowerIsBetter');
    const { data } = (
      await request(
        'GET',
        `/comparisons/flips?baselineRunId=${baselineRunId}&candidateRunId=${candidateRunId}&metricId=${metrics[1].metricId}`,
      )
    ).body;
    expect(data.every(({ direction }: { direction: string }) => direction === 'regressed')).toBe(
      true,
    );
  });

  test('have summaries on their scales, and the worst value of an error where there is one', async () => {
    const { baselineRunId, candidateRunId } = await twoRuns({ withErrors: true });
    const { body } = await request('GET', `/runs/${candidateRunId}/summary`);
    const [bleu, toxicity, perplexity] = body.metrics;
    expect(bleu).toMatchObject({ min: 0, max: 100, passingThreshold: 90, count: 12, errored: 1 });
    expect(bleu.distribution[0]).toEqual({ low: 0, high: 10, count: 1 });
    expect(toxicity).toMatchObject({ lowerIsBetter: true, passingThreshold: 0.1, count: 12 });
    expect(toxicity.distribution[9].count).toBe(1);
    expect(perplexity).toMatchObject({ min: 1, max: null, passRate: null, count: 11, errored: 1 });
    expect(perplexity.warnings.map(({ code }: { code: string }) => code)).toEqual([
      'errors_excluded',
    ]);
    expect(body.warnings.map(({ code }: { code: string }) => code)).toEqual(['errors_counted']);
    const { metrics, warnings } = await create('/comparisons', { baselineRunId, candidateRunId });
    expect(metrics.map(({ paired }: { paired: number }) => paired)).toEqual([12, 12, 11]);
    const codes = (one: { warnings?: { code: string }[] }) =>
      (one.warnings ?? []).map(({ code }) => code);
    expect(codes(metrics[2])).toContain('errors_excluded');
    expect(codes(metrics[0])).not.toContain('errors_excluded');
    expect(warnings[0].code).toBe('errors_counted');
  });
});

test('versions of a metric on other scales or directions are not compared', async () => {
  const testset = await newTestset(2);
  const [metricId, other] = [
    await newMetric({ ...float, name: 'BLEU' }),
    await newMetric({ ...float, name: 'Other' }),
  ];
  const baselineRunId = await scoredRun(
    testset,
    [metricId, other],
    [
      [0.5, 1],
      [0.6, 1],
    ],
  );
  const changed = await request('PATCH', `/metrics/${metricId}`, {
    ...{ evalType: 'heuristic', outputType: 'float', max: 100, lowerIsBetter: true },
  });
  expect(changed.status).toBe(200);
  const candidateRunId = await scoredRun(
    testset,
    [metricId, other],
    [
      [50, 1],
      [60, 1],
    ],
  );
  const message =
    'names the metric "BLEU", whose versions cannot be compared: they have max 1 in the baseline and 100 in the candidate, lowerIsBetter false in the baseline and true in the candidate. Rescore the runs by one version, or compare other metrics';
  const refused = async (body: object) => {
    const reply = await request('POST', '/comparisons', { baselineRunId, candidateRunId, ...body });
    return [reply.status, reply.body.details?.issues];
  };
  expect(await refused({})).toEqual([400, [{ path: '/candidateRunId', message }]]);
  expect(await refused({ metricIds: [other, metricId] })).toEqual([
    400,
    [{ path: '/metricIds/1', message }],
  ]);
  const query = `baselineRunId=${baselineRunId}&candidateRunId=${candidateRunId}`;
  const pairs = await request(
    'GET',
    `/comparisons/pairs?${query}&metricId=${metricId}&show=changed`,
  );
  expect([pairs.status, pairs.body.details.issues]).toEqual([
    400,
    [{ path: '?metricId', message }],
  ]);
  const { metrics } = await create('/comparisons', {
    ...{ baselineRunId, candidateRunId, metricIds: [other] },
  });
  expect(metrics).toHaveLength(1);
});

test('a score outside of the scale of its metric is invalid, and one a hair outside is the bound', async () => {
  const testset = await newTestset(3);
  const metricId = await newMetric({ ...float, name: 'BLEU', min: 0, max: 100 });
  const runId = await scoredRun(testset, [metricId], [[37.2], [100.00000005], [101]]);
  const { body } = await request('GET', `/runs/${runId}/summary`);
  expect(body.metrics[0]).toMatchObject({ count: 2, invalid: 1, mean: (37.2 + 100) / 2 });
});
