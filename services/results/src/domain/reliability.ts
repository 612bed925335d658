import type { Identity } from '@assay/contracts/define';
import { invalidAt, notFound } from '@assay/contracts/failure';
import type { RunOutline } from '@assay/contracts/run-records';
import { type StatedScale, statedScale } from '@assay/contracts/scale';
import { ratingsOf } from '@assay/evaluators/ratings';
import { krippendorffsAlpha } from '@assay/statistics/agreement';
import type { Dependencies } from './dependencies.ts';
import type { LabelledScores } from './judge-agreement.ts';
import {
  askedJudgementsOf,
  differingScores,
  judgeOf,
  type Raters,
  type Value,
} from './judged-values.ts';
import { type Label, labelOf } from './labels.ts';
import { findRun } from './runs.ts';

/** A record that the judge and people scored. */
interface ScorePair extends Label {
  recordId: string;
}

const disagreementsMax = 100;

/**
 * How far a judge agrees with people, and with itself, on a run's records (contract section 3,
 * Judges).
 */
export function createReliability({
  runRecords,
  ask,
  measure,
}: Pick<Dependencies, 'runRecords' | 'ask' | 'measure'>) {
  async function checkMetric(
    identity: Identity,
    projectId: string | null,
    metricId: string,
  ): Promise<void> {
    const { missing } = await ask.metrics.currentVersions(identity, {
      projectId,
      metricIds: [metricId],
    });
    if (missing.length > 0) throw notFound('metric', metricId);
  }

  async function ratersOf(
    identity: Identity,
    run: RunOutline,
    metricId: string,
    humanMetricId: string | undefined,
  ): Promise<Raters> {
    const judge = run.metrics.findLast((metric) => metric.metricId === metricId);
    if (!judge) {
      await checkMetric(identity, run.projectId, metricId);
      throw invalidAt(':metricId', 'does not belong to the run');
    }
    if (judge.evalType !== 'ai') throw invalidAt(':metricId', 'is not judged by a model');
    const human = run.metrics.findLast((metric) => metric.metricId === humanMetricId);
    if (humanMetricId !== undefined && human?.evalType !== 'human')
      throw invalidAt('?humanMetricId', 'is no human metric of the run');
    const differing = human && differingScores(judge, human);
    if (differing)
      throw invalidAt(
        '?humanMetricId',
        `has ${differing.human} scores, and those of the judge are ${differing.judge}`,
      );
    return { ...judgeOf(run, judge), human };
  }

  /** One pass over the run's records. */
  async function gather(identity: Identity, runId: string, raters: Raters) {
    const compared: ScorePair[] = [];
    const repeated: Value[][] = [];
    for await (const record of runRecords.streamRatings(identity, { runId, withVotes: true })) {
      // Nobody judged a record without an answer.
      if (record.error) continue;
      const ratings = ratingsOf(record.ratings);
      const label = labelOf(record, ratings, raters);
      if (label) compared.push({ recordId: record.id, ...label });
      const said = askedJudgementsOf(record, raters.judge.metricVersionId).flat();
      if (said.length > 1) repeated.push(said);
    }
    return { compared, repeated };
  }

  async function disagreementsOf(
    identity: Identity,
    runId: string,
    metricVersionId: string,
    compared: ScorePair[],
  ) {
    const distance = ({ judge, human }: ScorePair) => Math.abs(Number(judge) - Number(human));
    // The oldest first among equals: they come in that order, and sorting keeps it.
    const largest = compared
      .filter((pair) => distance(pair) > 0)
      .sort((a, b) => distance(b) - distance(a))
      .slice(0, disagreementsMax);
    const recordIds = largest.map(({ recordId }) => recordId);
    const { reasons } = await runRecords.readReasons(identity, {
      runId,
      metricVersionId,
      recordIds,
    });
    // Records that were deleted since are not among them.
    const reasoningOf = new Map(reasons.map(({ recordId, reasoning }) => [recordId, reasoning]));
    return largest.map((pair) => ({ ...pair, reasoning: reasoningOf.get(pair.recordId) ?? null }));
  }

  /**
   * The other runs that a request names, each once.
   * @throws VALIDATION_ERROR where one is not of the project, or has not this judge.
   */
  async function otherRuns(
    identity: Identity,
    run: RunOutline,
    { metricId, runIds }: { metricId: string; runIds: readonly string[] },
  ): Promise<RunOutline[]> {
    const others = [...new Set(runIds)].filter((id) => id !== run.id);
    if (others.length === 0) return [];
    const { runs } = await runRecords.readRuns(identity, { runIds: others });
    return others.map((runId) => {
      const other = runs.find(({ id }) => id === runId);
      if (other?.projectId !== run.projectId)
        throw invalidAt('?compareWithRunId', `names no run of the project: ${runId}`);
      if (!other.metrics.some((metric) => metric.metricId === metricId))
        throw invalidAt('?compareWithRunId', `names a run without this metric: ${runId}`);
      return other;
    });
  }

  /** The judge's errors in another run, where people may have scored by another metric. */
  async function errorsIn(identity: Identity, run: RunOutline, metricId: string, people?: string) {
    const isThere = people === undefined || run.metrics.some((one) => one.metricId === people);
    const raters = await ratersOf(identity, run, metricId, isThere ? people : undefined);
    const { compared } = isThere
      ? await gather(identity, run.id, raters)
      : { compared: [] as ScorePair[] };
    const { errors } = await measure(toScores(raters.judge, compared));
    return errorsOf(run, raters, errors);
  }

  return {
    /**
     * The judge's value of a record is the result of its newest judgement. The people's value is
     * their score of the judged metric, given to its newest version in the run or else to an older
     * one, so that labels outlive a change of the prompt; or their score of a human metric.
     */
    async get(
      identity: Identity,
      metricId: string,
      {
        runId,
        humanMetricId,
        compareWithRunId = [],
      }: {
        runId: string;
        humanMetricId?: string | undefined;
        compareWithRunId?: string[] | undefined;
      },
    ) {
      const run = await findRun(runRecords, identity, runId);
      if (!run) {
        await checkMetric(identity, null, metricId);
        throw invalidAt('?runId', 'does not belong to this organization');
      }
      const raters = await ratersOf(identity, run, metricId, humanMetricId);
      const { metricVersionId, outputType } = raters.judge;
      const others = await otherRuns(identity, run, { metricId, runIds: compareWithRunId });
      const { compared, repeated } = await gather(identity, runId, raters);
      const { agreement, errors } = await measure(toScores(raters.judge, compared));
      const byRun = [errorsOf(run, raters, errors)];
      // One after the other: each reads a whole run.
      for (const other of others)
        byRun.push(await errorsIn(identity, other, metricId, humanMetricId));
      return {
        metricId,
        metricVersionId,
        runId,
        humanMetricId: humanMetricId ?? null,
        outputType,
        compared: compared.length,
        agreement,
        byRun,
        confusionMatrix: outputType === 'float' ? [] : confusionMatrix(compared),
        disagreements: await disagreementsOf(identity, runId, metricVersionId, compared),
        testRetest: testRetest(repeated),
      };
    },
  };
}

const toScores = (metric: StatedScale, compared: ScorePair[]): LabelledScores => ({
  outputType: metric.outputType,
  ...statedScale(metric),
  judge: Float64Array.from(compared, ({ judge }) => Number(judge)),
  people: Float64Array.from(compared, ({ human }) => Number(human)),
});

const errorsOf = <Errors extends object>(
  { id: runId, name }: RunOutline,
  { judge: { metricVersionId } }: Raters,
  errors: Errors,
) => ({ runId, name: name ?? null, metricVersionId, ...errors });

const share = <Item>(items: Item[], isCounted: (item: Item) => boolean): number | null =>
  items.length === 0 ? null : items.filter(isCounted).length / items.length;

/** How often each pair of values that was seen was seen. */
function confusionMatrix(compared: ScorePair[]) {
  const cells = new Map<string, { judge: Value; human: Value; count: number }>();
  for (const { judge, human } of compared) {
    const cell = cells.get(`${judge}/${human}`);
    if (cell) cell.count++;
    else cells.set(`${judge}/${human}`, { judge, human, count: 1 });
  }
  return [...cells.values()].sort(
    (a, b) => Number(a.judge) - Number(b.judge) || Number(a.human) - Number(b.human),
  );
}

/**
 * Every time that the judge was asked about a record is one rating of it, whether as one of several
 * votes or when it was judged anew: both ask the same question of the same version. Records about
 * which it was asked once say nothing of this, and nor do answers from the cache.
 */
function testRetest(repeated: Value[][]) {
  if (repeated.length === 0) return null;
  return {
    records: repeated.length,
    alpha: krippendorffsAlpha(repeated.map((ratings) => ratings.map(Number))),
    exact: share(repeated, (ratings) => ratings.every((rating) => rating === ratings[0])),
  };
}
