import type { Identity, Request } from '@assay/contracts/define';
import { Failure, type Issue, invalid, invalidAt } from '@assay/contracts/failure';
import type { MetricVersion } from '@assay/contracts/metrics';
import type { JsonText } from '@assay/contracts/payload';
import type { Judgement } from '@assay/contracts/run-records';
import type { scoring } from '@assay/contracts/scoring';
import type { DailyBudget } from './daily-budget.ts';
import type { Dependencies } from './dependencies.ts';
import type { PendingScore } from './evaluation.ts';
import { failureOutcome } from './failure-outcome.ts';

type Body = Request<(typeof scoring)['operations']['previewMetric']>['body'];
type Value = boolean | number;

interface ScoredRecord {
  id: string;
  inputs: JsonText;
  expected: JsonText;
  outputs: JsonText;
  value: Value;
}

/** The time that a preview waits for its judge, in ms; the client waits for the reply meanwhile. */
const patienceMs = 120_000;

type PreviewDependencies = Pick<
  Dependencies,
  'ask' | 'runRecords' | 'evaluate' | 'judge' | 'judges' | 'clientSignal' | 'now'
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
  now,
}: PreviewDependencies) {
  const readRecords = (
    identity: Identity,
    wanted: { runId: string; metricId: string; projectId: string; limit: number },
  ) =>
    runRecords.readForPreview(identity, wanted).catch((error: unknown) => {
      throw isFailure(error, 'NOT_FOUND')
        ? invalidAt('/runId', "does not belong to the metric's project")
        : error;
    });

  const scoreAnew = async (
    identity: Identity,
    metric: MetricVersion,
    records: ScoredRecord[],
  ): Promise<Judgement[]> => {
    const scores = records.map(
      ({ id, inputs, expected, outputs }): PendingScore => ({
        recordId: id,
        metric,
        inputs,
        expected,
        outputs,
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

  return {
    async preview(identity: Identity, metricId: string, { change, runId, limit }: Body) {
      const { projectId, current, changed } = await ask.metrics
        .changedVersion(identity, { metricId, change })
        .catch(withPlaceOfChange);
      if (!changed.isScoredByService)
        throw invalidAt(
          '/change',
          'leaves a metric that the service does not score: there is nothing to preview',
        );
      if (changed.judge) await dailyBudget.check(identity.organizationId);
      const { records } = await readRecords(identity, { runId, metricId, projectId, limit });
      const judgements = await scoreAnew(identity, changed, records);
      return previewOf({ records, judgements, current, changed });
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
  const pairs = records.flatMap(({ id, value }) => {
    const outcome = outcomes.get(id);
    return outcome?.kind === 'score'
      ? [{ recordId: id, before: value, after: outcome.value, reasoning: outcome.reasoning }]
      : [];
  });
  const failures = judgements.flatMap(({ recordId, outcome }) =>
    outcome.kind === 'failure' ? [{ recordId, code: outcome.code, message: outcome.message }] : [],
  );
  const flips = pairs.filter(
    ({ before, after }) => passes(current, before) !== passes(changed, after),
  );
  return {
    scored: pairs.length,
    failed: failures.length,
    flipped: flips.length,
    before: described(
      current,
      pairs.map(({ before }) => before),
    ),
    after: described(
      changed,
      pairs.map(({ after }) => after),
    ),
    costUsd: judgements.reduce((sum, { outcome }) => sum + costOf(outcome), 0),
    flips,
    failures,
  };
}

const costOf = (outcome: Judgement['outcome']): number =>
  (outcome.kind === 'score' ? outcome.provenance.costUsd : outcome.costUsd) ?? 0;

const passes = ({ passingThreshold }: MetricVersion, value: Value): boolean =>
  typeof value === 'boolean' ? value : value >= (passingThreshold ?? 0);

function described(metric: MetricVersion, values: Value[]) {
  const count = values.length;
  if (count === 0) return { count, mean: null, passRate: null };
  const mean = values.reduce<number>((sum, value) => sum + Number(value), 0) / count;
  return { count, mean, passRate: values.filter((value) => passes(metric, value)).length / count };
}

const isFailure = (error: unknown, code: Failure['code']): error is Failure =>
  error instanceof Failure && error.code === code;

/** Throws the faults of the change again, with their places in the preview's own body. */
function withPlaceOfChange(error: unknown): never {
  if (!isFailure(error, 'VALIDATION_ERROR')) throw error;
  throw invalid(
    ((error.details.issues ?? []) as Issue[]).map((issue) => ({
      ...issue,
      path: `/change${issue.path}`,
    })),
  );
}
