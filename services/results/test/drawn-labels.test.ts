import { useRunRecords } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';
import { calibrate } from '../src/domain/calibration.ts';
import { labelProbabilities } from '../src/domain/drawn-labels.ts';
import { type JudgedRun, useJudgedRuns } from './judged-runs.ts';

const world = useRunRecords();
const { request, newMetric, newTestset } = world;
const { newJudge, newJudgedRun, say, label } = useJudgedRuns(world);

interface Drawn {
  testcaseId: string;
  changed: boolean;
  probability: number;
}

const testcasesCount = 60;
/** The judge fails the first twelve of the baseline, and none of the candidate. */
const judged = { baseline: (place: number) => place >= 12, candidate: () => true };
/** People see a change at half of these, and at a few others a change for the worse. */
const people = {
  baseline: (place: number) => place >= 12,
  candidate: (place: number) => place >= 6 && place % 10 !== 3,
};

async function newRuns() {
  const [judge, human] = [
    await newJudge(),
    await newMetric({ evalType: 'human', outputType: 'boolean' }),
  ];
  const { testset, testcaseIds } = await newTestset(testcasesCount);
  const newSide = async (side: keyof typeof judged) => {
    const run = await newJudgedRun({ judge, people: human, testsetId: testset, testcaseIds });
    await say(
      run,
      testcaseIds.map((_, place) => judged[side](place)),
    );
    return run;
  };
  const [baseline, candidate] = [await newSide('baseline'), await newSide('candidate')];
  const runIds = { baselineRunId: baseline.id, candidateRunId: candidate.id };
  const body = { ...runIds, metricId: judge, humanMetricId: human };
  return {
    testcaseIds,
    draw: async (testcases: number) =>
      (await request('POST', '/label-draws', { ...body, testcases })).body.testcases as Drawn[],
    /** People score these testcases in both runs. */
    async label(places: readonly number[]) {
      for (const [run, side] of [
        [baseline, 'baseline'],
        [candidate, 'candidate'],
      ] as [JudgedRun, keyof typeof people][])
        await label(
          run,
          testcaseIds.map((_, place) => (places.includes(place) ? people[side](place) : undefined)),
          run.metricVersionIds[1],
        );
    },
    /** The summary of the candidate's run. */
    summarize: async () =>
      (await request('GET', `/runs/${candidate.id}/summary?calibrateWith=${human}`)).body
        .metrics[0],
    compare: async () =>
      (
        await request('POST', '/comparisons', {
          ...runIds,
          metricIds: [judge],
          calibrateWith: { humanMetricId: human },
        })
      ).body.metrics[0],
  };
}

describe('a comparison corrected by labels that were drawn', () => {
  test('weighs each label by the probability with which it was drawn, and leaves out what nobody drew', async () => {
    const { testcaseIds, draw, label, compare } = await newRuns();
    await draw(25);
    const drawn = await draw(15);
    const placesOf = (some: readonly Drawn[]) =>
      some.map(({ testcaseId }) => testcaseIds.indexOf(testcaseId));
    const undrawn = testcaseIds
      .map((_, place) => place)
      .filter((place) => !placesOf(drawn).includes(place));
    await label([...placesOf(drawn), ...undrawn.slice(0, 5)]);
    const { calibrated, warnings } = await compare();
    expect(calibrated.labels).toBe(40);
    expect(JSON.stringify(warnings ?? [])).not.toContain('labels_not_drawn');
    const probabilities = new Map(drawn.map((one) => [one.testcaseId, one.probability]));
    const differenceAt = (side: typeof judged | typeof people, place: number) =>
      Number(side.candidate(place)) - Number(side.baseline(place));
    const testcases = testcaseIds
      .map((testcaseId, place) => ({
        testcaseId,
        judged: differenceAt(judged, place),
        label: probabilities.has(testcaseId) ? differenceAt(people, place) : undefined,
      }))
      .sort((one, other) => (one.testcaseId < other.testcaseId ? -1 : 1));
    const bounds = { level: 0.95, scale: { low: -1, high: 1 }, errorMax: 1 };
    const { figures } = calibrate(testcases, { ...bounds, probabilities });
    expect(calibrated.difference).toBeCloseTo(figures!.estimate, 10);
    expect(calibrated.pValue).toBeCloseTo(figures!.pValue, 10);
    const unweighted = calibrate(testcases, bounds).figures!;
    expect(Math.abs(unweighted.estimate - figures!.estimate)).toBeGreaterThan(0.001);
  });

  test('and so does the summary of one run', async () => {
    const { testcaseIds, draw, label, summarize } = await newRuns();
    const drawn = await draw(40);
    const probabilities = new Map(drawn.map((one) => [one.testcaseId, one.probability]));
    const places = drawn.map(({ testcaseId }) => testcaseIds.indexOf(testcaseId));
    await label([...places, ...testcaseIds.keys()].slice(0, 45));
    const { calibrated } = await summarize();
    const testcases = testcaseIds
      .map((testcaseId, place) => ({
        testcaseId,
        judged: Number(judged.candidate()),
        label: probabilities.has(testcaseId) ? Number(people.candidate(place)) : undefined,
      }))
      .sort((one, other) => (one.testcaseId < other.testcaseId ? -1 : 1));
    const bounds = { level: 0.95, scale: { low: 0, high: 1 }, errorMax: 1 };
    const { figures } = calibrate(testcases, { ...bounds, probabilities });
    expect(calibrated).toMatchObject({ labels: 40, labelsWereDrawn: true });
    expect(calibrated.mean).toBeCloseTo(figures!.estimate, 10);
    const unweighted = calibrate(testcases, bounds).figures!;
    expect(Math.abs(unweighted.estimate - figures!.estimate)).toBeGreaterThan(0.001);
  });

  test('counts as drawn what is labelled of a draw so far, each kind by its share', () => {
    const drawn = ['a', 'b', 'c', 'd', 'e'].map((testcaseId, place) => ({
      testcaseId,
      probability: place < 2 ? 0.9 : 0.3,
      drawClass: place < 2 ? '3/3' : '1/1',
    }));
    const labelled = (...ids: string[]) => labelProbabilities(drawn, (id) => ids.includes(id));
    expect(labelled('a', 'c', 'd')).toEqual(
      new Map([
        ['a', 0.45],
        ['c', expect.closeTo(0.2, 12)],
        ['d', expect.closeTo(0.2, 12)],
      ]),
    );
    expect(labelled('a', 'b', 'c', 'd', 'e').get('e')).toBeCloseTo(0.3, 12);
    expect(labelled()).toEqual(new Map());
  });
});
