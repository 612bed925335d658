import type { Identity, Request } from '@assay/contracts/define';
import { Failure, type Issue, invalid, invalidAt } from '@assay/contracts/failure';
import type { MetricVersion } from '@assay/contracts/metrics';
import type { JsonText } from '@assay/contracts/payload';
import type { Judgement } from '@assay/contracts/run-records';
import { passes } from '@assay/contracts/scale';
import type { scoring } from '@assay/contracts/scoring';
import type { DailyBudget } from './daily-budget.ts';
import type { Dependencies } from './dependencies.ts';
import type { PendingScore } from './evaluation.ts';
import { failureOutcome } from './failure-outcome.ts';
import { metricText } from './metric-text.ts';

type Operations = (typeof scoring)['operations'];
type Body = Request<Operations['previewMetric']>['body'];
type NewMetricBody = Request<Operations['previewNewMetric']>['body'];
type Value = boolean | number;

interface ScoredRecord {
  id: string;
  inputs: JsonText;
  expected: JsonText;
  outputs: JsonText;
  /** Left out where nothing has scored the record before. */
  value?: Value;
}

/** The time that a preview waits for its judge, in ms; the client waits for the reply meanwhile. */
const patienceMs = 120_000;

type PreviewDependencies = Pick<
  Dependencies,
  'ask' | 'runRecords' | 'evaluate' | 'judge' | 'judges' | 'clientSignal' | 'newId' | 'now'
> & {
  dailyBudget: DailyBudget;
};

/**
 * Shows the effect of a metric's change on existing records (contract section 3, Results). None of
 * the new scores is kept.
 */
export function createPreviews({
  ask,
  runRecords,
  evaluate,
  judge,
  judges,
  clientSignal,
  dailyBudget,
  newId,
  now,
}: PreviewDependencies) {
  const scoreAnew = async (
    identity: Identity,
    {
      metric,
      records,
      projectId,
    }: { metric: MetricVersion; records: ScoredRecord[]; projectId: string },
  ): Promise<Judgement[]> => {
    const scores = records.map(
      ({ id, inputs, expected, outputs }): PendingScore => ({
        recordId: id,
        metric,
        inputs,
        expected,
        outputs,
        cacheProjectId: projectId,
      }),
    );
    if (!metric.judge) return evaluate(scores, 1);
    judges.retry(metric.judge.evalModelName, now());
    return Promise.all(scores.map((score) => judgeInTime(identity, score)));
  };

  async function judgeInTime(
    { organizationId }: Identity,
    score: PendingScore,
  ): Promise<Judgement> {
    const patience = AbortSignal.timeout(patienceMs);
    const leaving = clientSignal();
    try {
      return await judge({
        organizationId,
        ...score,
        signal: leaving ? AbortSignal.any([patience, leaving]) : patience,
      });
    } catch (error) {
      if (error !== patience.reason) throw error;
      const message = `The judge was not asked within the ${patienceMs / 1000} seconds of a preview.`;
      const outcome = failureOutcome({ code: 'timeout', message, attempts: 0 });
      return { recordId: score.recordId, metricVersionId: score.metric.metricVersionId, outcome };
    }
  }

  /** @throws VALIDATION_ERROR at `path` for a metric that the service does not score. */
  async function checkScorable(
    { organizationId }: Identity,
    { isScoredByService, judge, subject }: MetricVersion,
    path: string,
  ): Promise<void> {
    if (subject === 'pair')
      throw invalidAt(
        path,
        'leaves a judge of pairs, which pairwise comparisons ask: it scores no records',
      );
    if (!isScoredByService)
      throw invalidAt(
        path,
        'leaves a metric that the service does not score: there is nothing to preview',
      );
    if (judge) await dailyBudget.check(organizationId);
  }

  /** The oldest records of a run, or the one that is wanted of it. */
  async function recordsOf(
    identity: Identity,
    projectId: string,
    { runId = '', recordId, limit }: Omit<NewMetricBody, 'metric' | 'record'>,
  ): Promise<ScoredRecord[]> {
    const wanted = recordId === undefined ? { runId, limit } : { runId, recordId };
    const { records } = await runRecords
      .readForTrial(identity, { projectId, wanted })
      .catch(recordId === undefined ? withPlaceOfRun : withPlaceOfRecord);
    return records;
  }

  return {
    async preview(identity: Identity, metricId: string, { change, runId, limit }: Body) {
      const { projectId, current, changed } = await ask.metrics
        .changedVersion(identity, { metricId, change })
        .catch(withPlaceOfChange);
      await checkScorable(identity, changed, '/change');
      const { records } = await runRecords
        .readForPreview(identity, { runId, metricId, projectId, limit })
        .catch(withPlaceOfRun);
      const judgements = await scoreAnew(identity, { metric: changed, records, projectId });
      return previewOf({ records, judgements, current, changed });
    },

    /** The same for a metric that is not stored: there are no scores before. */
    async previewNew(
      identity: Identity,
      projectId: string,
      { metric, record, ...wanted }: NewMetricBody,
    ) {
      const { issues, version } = await ask.metrics.checkedVersion(identity, {
        projectId,
        metricId: null,
        body: metricText(metric),
      });
      if (!version) throw invalid(placedUnder('/metric', issues));
      await checkScorable(identity, version, '/metric');
      const records = record
        ? [{ id: newId(), ...record }]
        : await recordsOf(identity, projectId, wanted);
      const judgements = await scoreAnew(identity, { metric: version, records, projectId });
      return previewOf({ records, judgements, current: version, changed: version });
    },
  };
}

function previewOf({
  records,
  judgements,
  current,
  changed,
}: {
  records: ScoredRecord[];
  judgements: Judgement[];
  current: MetricVersion;
  changed: MetricVersion;
}) {
  const outcomes = new Map(judgements.map(({ recordId, outcome }) => [recordId, outcome]));
  const scored = records.flatMap(({ id, value: before }) => {
    const outcome = outcomes.get(id);
    if (outcome?.kind !== 'score') return [];
    const { value, reasoning } = outcome;
    return [{ before, score: { recordId: id, value, reasoning } }];
  });
  const scores = scored.map(({ score }) => score);
  const pairs = scored.flatMap(({ before, score: { recordId, value: after, reasoning } }) =>
    before === undefined ? [] : [{ recordId, before, after, reasoning }],
  );
  const failures = judgements.flatMap(({ recordId, outcome }) =>
    outcome.kind === 'failure' ? [{ recordId, code: outcome.code, message: outcome.message }] : [],
  );
  const notApplicable = judgements.flatMap(({ recordId, outcome }) =>
    outcome.kind === 'notApplicable' ? [{ recordId, reasoning: outcome.reasoning }] : [],
  );
  const flips = pairs.filter(
    ({ before, after }) => passes(current, before) !== passes(changed, after),
  );
  return {
    scored: scores.length,
    failed: failures.length,
    flipped: flips.length,
    before: described(
      current,
      pairs.map(({ before }) => before),
    ),
    after: described(
      changed,
      scores.map(({ value }) => value),
    ),
    costUsd: judgements.reduce((sum, { outcome }) => sum + costOf(outcome), 0),
    scores,
    flips,
    failures,
    notApplicable,
  };
}

const costOf = (outcome: Judgement['outcome']): number =>
  (outcome.kind === 'failure' ? outcome.costUsd : outcome.provenance.costUsd) ?? 0;

function described(metric: MetricVersion, values: Value[]) {
  const count = values.length;
  if (count === 0) return { count, mean: null, passRate: null };
  const mean = values.reduce<number>((sum, value) => sum + Number(value), 0) / count;
  const outcomes = values.map((value) => passes(metric, value));
  const passRate = outcomes.includes(null) ? null : outcomes.filter(Boolean).length / count;
  return { count, mean, passRate };
}

const isFailure = (error: unknown, code: Failure['code']): error is Failure =>
  error instanceof Failure && error.code === code;

/** Throws the faults of the change again, with their places in the preview's own body. */
function withPlaceOfChange(error: unknown): never {
  if (!isFailure(error, 'VALIDATION_ERROR')) throw error;
  throw invalid(placedUnder('/change', (error.details.issues ?? []) as Issue[]));
}

const placedUnder = (place: string, issues: Issue[]): Issue[] =>
  issues.map((issue) => ({ ...issue, path: `${place}${issue.path}` }));

/** Throws that there is no such run as the fault of the body that it is. */
function withPlaceOfRun(error: unknown): never {
  throw isFailure(error, 'NOT_FOUND')
    ? invalidAt('/runId', "does not belong to the metric's project")
    : error;
}

/** The same of a record that is not of the run. */
function withPlaceOfRecord(error: unknown): never {
  throw isFailure(error, 'NOT_FOUND')
    ? invalidAt('/recordId', 'does not belong to the run')
    : error;
}
