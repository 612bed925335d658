import { createHash, randomUUID } from 'node:crypto';
import type { IdempotencyKey, Identity, Request } from '@assay/contracts/define';
import { conflict, invalidAt } from '@assay/contracts/failure';
import type { MetricVersionOutline, OutputType } from '@assay/contracts/metrics';
import { type LabelDraw, moreLabels, type results } from '@assay/contracts/results';
import {
  type DrawnTestcase,
  drawnTestcasesMax,
  type KeptLabelDraw,
} from '@assay/contracts/run-records';
import { isNumeric, scaleOf } from '@assay/contracts/scale';
import { labelPlan } from '@assay/statistics/label-plan';
import { drawByPriority, inclusionProbability } from '@assay/statistics/priority-sample';
import {
  type ComparedMetric,
  checkComparable,
  comparedMetric,
  findSides,
  type Sides,
} from './comparison/sides.ts';
import { commonTestcases, gatherSides, type Pair, pairsOf } from './comparison/values.ts';
import type { Dependencies } from './dependencies.ts';
import { labelProbabilities } from './drawn-labels.ts';
import { differingScores } from './judged-values.ts';
import { createRememberedAnswers } from './remembered-answers.ts';

type Operations = (typeof results)['operations'];
type DrawBody = Request<Operations['drawLabels']>['body'];
type DrawQuery = Request<Operations['getLabelDraw']>['query'];

/**
 * How much likelier a testcase is drawn whose result changed. Of numbers most change, and those that
 * do tell no more than others.
 */
const weightOfChanged: Record<OutputType, number> = { boolean: 3, int: 1, float: 1 };
/** Draws that come first at the same time, one after the other, before this one is given up. */
const attemptsMax = 5;
/** Idempotency-Keys that a draw remembers. */
const keysMax = 100;
/** The part of the scale by which a judge is taken to err as long as nobody has looked. */
const assumedShare = 0.15;

/** The pairs of two runs, with people's values of them. */
interface DrawnFrom {
  sides: Sides;
  judge: MetricVersionOutline;
  pairs: Map<string, Pair>;
  people: Map<string, Pair>;
}

/** Draws testcases for people to score, with known probabilities (ADR 39). */
export function createLabelDraws({
  store,
  runRecords,
  ask,
}: Pick<Dependencies, 'store' | 'runRecords' | 'ask'>) {
  const onceOf = createRememberedAnswers({ store });

  async function gather(
    identity: Identity,
    sides: Sides,
    { judge, human }: { judge: ComparedMetric; human: ComparedMetric | undefined },
  ): Promise<DrawnFrom> {
    const gathered = await gatherSides(runRecords, identity, {
      sides,
      metrics: human ? [judge, human] : [judge],
      repeats: 'mean',
      // A record without an answer needs no label.
      errors: 'exclude',
    });
    const testcaseIds = commonTestcases(gathered);
    const pairs = (metric: ComparedMetric) =>
      new Map([...pairsOf(testcaseIds, gathered, metric)].map((pair) => [pair.testcaseId, pair]));
    return {
      sides,
      judge: judge.candidate,
      pairs: pairs(judge),
      people: human ? pairs(human) : new Map(),
    };
  }

  async function findKept(
    identity: Identity,
    { baseline, candidate }: Sides,
    metricId: string,
  ): Promise<KeptLabelDraw | undefined> {
    let kept: KeptLabelDraw | undefined;
    const runIds = [baseline.id, candidate.id];
    for await (const draw of runRecords.streamLabelDraws(identity, { runIds, metricId }))
      if (draw.baselineRunId === baseline.id && draw.candidateRunId === candidate.id) kept = draw;
    return kept;
  }

  async function drawMore(
    identity: Identity,
    body: DrawBody,
    key: IdempotencyKey | undefined,
  ): Promise<LabelDraw> {
    const { metricId, humanMetricId, testcases: count, assigneeUserIds } = body;
    const sides = await findSides({ runRecords, ask }, identity, { ...body, place: '/' });
    const judge = judgeOf(sides, metricId, '/');
    const human = humanOf(sides, judge, humanMetricId);
    const from = await gather(identity, sides, { judge, human });
    // Also without a key: a draw whose answer was lost on its way from run-records is known again.
    const keyId = key?.id ?? randomUUID();
    for (let attempt = 0; attempt < attemptsMax; attempt++) {
      const kept = await findKept(identity, sides, metricId);
      if (kept && kept.humanMetricId !== humanMetricId)
        throw invalidAt(
          '/humanMetricId',
          `is not that of the draw of these runs, which is ${kept.humanMetricId}`,
        );
      if (kept?.keyIds.includes(keyId)) return replyOf(from, metricId, kept);
      const { draw, added } = nextDraw(from, { metricId, humanMetricId, kept, count, keyId });
      if (added.length === 0 && kept) return replyOf(from, metricId, kept);
      const { isKept } = await runRecords.saveLabelDraw(identity, {
        draw,
        recordIds: {
          baseline: added.map(({ baselineRecordId }) => baselineRecordId),
          candidate: added.map(({ candidateRecordId }) => candidateRecordId),
        },
        assigneeUserIds,
      });
      if (isKept) return replyOf(from, metricId, draw);
    }
    throw conflict('Others draw testcases of these runs at the moment. Try again.');
  }

  return {
    draw: (identity: Identity, body: DrawBody, key: IdempotencyKey | undefined) =>
      onceOf(identity, key, () => drawMore(identity, body, key)),

    async get(identity: Identity, query: DrawQuery): Promise<LabelDraw> {
      const { metricId } = query;
      const sides = await findSides({ runRecords, ask }, identity, { ...query, place: '?' });
      const judge = judgeOf(sides, metricId, '?');
      const kept = await findKept(identity, sides, metricId);
      const human = kept && comparedMetric(sides, kept.humanMetricId);
      return replyOf(await gather(identity, sides, { judge, human }), metricId, kept);
    },
  };
}

function judgeOf(sides: Sides, metricId: string, place: '/' | '?'): ComparedMetric {
  const judge = comparedMetric(sides, metricId);
  if (!judge) throw invalidAt(`${place}metricId`, 'is not a metric of both runs');
  checkComparable(judge, `${place}metricId`);
  if (judge.candidate.evalType !== 'ai')
    throw invalidAt(`${place}metricId`, 'is not judged by a model');
  return judge;
}

function humanOf(sides: Sides, judge: ComparedMetric, humanMetricId: string): ComparedMetric {
  const human = comparedMetric(sides, humanMetricId);
  if (human?.candidate.evalType !== 'human')
    throw invalidAt('/humanMetricId', 'is no human metric of both runs');
  checkComparable(human, '/humanMetricId');
  const differing = differingScores(judge.candidate, human.candidate);
  if (differing)
    throw invalidAt(
      '/humanMetricId',
      `has ${differing.human} scores, and those of the judge are ${differing.judge}`,
    );
  return human;
}

/** The testcases that are drawn after so many more, and which of them are new. */
function nextDraw(
  { sides, judge: { outputType }, pairs }: DrawnFrom,
  {
    metricId,
    humanMetricId,
    kept,
    count,
    keyId,
  }: {
    metricId: string;
    humanMetricId: string;
    kept: KeptLabelDraw | undefined;
    count: number;
    keyId: string;
  },
): { draw: KeptLabelDraw; added: DrawnTestcase[] } {
  const before = kept?.testcases ?? [];
  const known = new Set(before.map(({ testcaseId }) => testcaseId));
  const rest = [...pairs.values()]
    .filter(({ testcaseId }) => !known.has(testcaseId))
    .map((pair) => ({
      pair,
      weight: weightOf(pair, outputType),
      random: permanentRandom(metricId, pair.testcaseId),
    }));
  if (before.length + Math.min(count, rest.length) > drawnTestcasesMax)
    throw invalidAt('/testcases', `would be more than ${drawnTestcasesMax} drawn testcases`);
  const { places, threshold } = drawByPriority(rest, count);
  const added = places.map((place): DrawnTestcase => {
    const { pair, weight } = rest[place]!;
    return {
      testcaseId: pair.testcaseId,
      weight,
      probability: inclusionProbability(weight, threshold),
      baselineRecordId: pair.baseline.recordId,
      candidateRecordId: pair.candidate.recordId,
    };
  });
  const raised = before.map((testcase): DrawnTestcase => {
    const pair = pairs.get(testcase.testcaseId);
    if (!pair) return testcase;
    const weight = weightOf(pair, outputType);
    return {
      ...testcase,
      weight,
      probability: Math.max(testcase.probability, inclusionProbability(weight, threshold)),
    };
  });
  return {
    added,
    draw: {
      baselineRunId: sides.baseline.id,
      candidateRunId: sides.candidate.id,
      metricId,
      humanMetricId,
      version: (kept?.version ?? 0) + 1,
      keyIds: [...(kept?.keyIds ?? []), keyId].slice(-keysMax),
      testcases: [...raised, ...added],
    },
  };
}

const hasChanged = ({ baseline, candidate }: Pair): boolean => baseline.value !== candidate.value;

const weightOf = (pair: Pair, outputType: OutputType): number =>
  hasChanged(pair) ? weightOfChanged[outputType] : 1;

const randomBytes = 6;

/** A number between 0 and 1 that a testcase has for a judge, for good. */
function permanentRandom(metricId: string, testcaseId: string): number {
  const hash = createHash('sha256').update(`${metricId}/${testcaseId}`).digest();
  return (hash.readUIntBE(0, randomBytes) + 0.5) / 2 ** (8 * randomBytes);
}

function replyOf(from: DrawnFrom, metricId: string, kept: KeptLabelDraw | undefined): LabelDraw {
  const { sides, pairs, people } = from;
  const testcases = kept?.testcases ?? [];
  const isLabelled = ({ testcaseId }: DrawnTestcase): boolean =>
    people.has(testcaseId) && pairs.has(testcaseId);
  const labelled = testcases.filter(isLabelled);
  return {
    baselineRunId: sides.baseline.id,
    candidateRunId: sides.candidate.id,
    metricId,
    humanMetricId: kept?.humanMetricId ?? null,
    paired: pairs.size,
    drawn: testcases.length,
    labelled: labelled.length,
    testcases: testcases.map(({ weight: _weight, ...testcase }) => {
      const pair = pairs.get(testcase.testcaseId);
      return { ...testcase, changed: pair !== undefined && hasChanged(pair) };
    }),
    expected: expectedOf(from, { testcases, labelled }),
  };
}

/** How far two values can be apart; on a scale without an end, how far those at hand are. */
function widthOf(metric: MetricVersionOutline, pairs: Pair[]): number {
  const { low, high } = scaleOf(metric);
  if (Number.isFinite(high - low)) return high - low;
  let [least, greatest] = [Infinity, -Infinity];
  for (const { baseline, candidate } of pairs) {
    least = Math.min(least, baseline.value, candidate.value);
    greatest = Math.max(greatest, baseline.value, candidate.value);
  }
  return Math.max(0, greatest - least);
}

const differenceOf = ({ baseline, candidate }: Pair): number => candidate.value - baseline.value;

function expectedOf(
  { judge, pairs, people }: DrawnFrom,
  { testcases, labelled }: { testcases: DrawnTestcase[]; labelled: DrawnTestcase[] },
): LabelDraw['expected'] {
  const all = [...pairs.values()];
  const { outputType } = judge;
  const recordError = isNumeric(outputType)
    ? (assumedShare * widthOf(judge, all)) ** 2
    : assumedShare;
  const ids = new Set(labelled.map(({ testcaseId }) => testcaseId));
  const probabilities = labelProbabilities(
    testcases.map((testcase) => ({ ...testcase, drawClass: `${testcase.weight}` })),
    (testcaseId) => ids.has(testcaseId),
  );
  const { now, withMore } = labelPlan(
    {
      judged: all.map(differenceOf),
      weights: all.map((pair) => weightOf(pair, outputType)),
      labelled: labelled.map(({ testcaseId }) => {
        const pair = pairs.get(testcaseId)!;
        return {
          judged: differenceOf(pair),
          people: differenceOf(people.get(testcaseId)!),
          weight: weightOf(pair, outputType),
          probability: probabilities.get(testcaseId)!,
        };
      }),
      // Of a difference, whose two records err by themselves.
      assumedError: 2 * recordError,
    },
    moreLabels,
  );
  return { labels: labelled.length, halfWidth: now, halfWidthWith20More: withMore };
}
