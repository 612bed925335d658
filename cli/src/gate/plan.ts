import { type Client, RequestFailure } from '@assay/client/client';
import { findNamed, LookupFailure, unknownName } from '@assay/client/named';
import { isSystemMetricId } from '@assay/client/system-metrics';
import type { Plan } from '@assay/comparison/plan';
import type { PlanQuestion } from './arguments.ts';
import { CannotTell, sentenceOf } from './failure.ts';
import { exitCodes } from './report.ts';

export interface PlanReport {
  question: PlanQuestion;
  /** Undefined where there is none. */
  plan: Plan | undefined;
  exitCode: 0 | 2;
  /** One sentence. */
  reason: string;
}

/**
 * Asks Assay how large a comparison has to be. `CannotTell` and `RequestFailure` become a reason,
 * never thrown.
 */
export async function makePlan({
  client,
  question,
}: {
  client: Client;
  question: PlanQuestion;
}): Promise<PlanReport> {
  const obstructed = (reason: string): PlanReport => ({
    question,
    plan: undefined,
    exitCode: exitCodes.unknown,
    reason,
  });
  try {
    const plan = await client.request('POST', '/plans', {
      body: await bodyOf(client, question),
    });
    return plan.testcases === null
      ? { question, plan, exitCode: exitCodes.unknown, reason: plan.reason! }
      : { question, plan, exitCode: exitCodes.passed, reason: 'Planned.' };
  } catch (error) {
    if (error instanceof CannotTell || error instanceof LookupFailure)
      return obstructed(error.message);
    if (error instanceof RequestFailure) return obstructed(sentenceOf(error, question));
    throw error;
  }
}

async function bodyOf(client: Client, question: PlanQuestion) {
  const { difference, power, level, baseline, candidate, testset } = question;
  const { baselineMean, changeRate, standardDeviation } = question;
  return {
    metricId: await findMetric(client, question),
    difference,
    power,
    level,
    pilotRunId: candidate ?? baseline,
    pilotBaselineRunId: candidate === undefined ? undefined : baseline,
    baselineMean,
    changeRate,
    standardDeviation,
    testsetId: testset,
  };
}

/** A metric's name is known by a run that has it; without a run, an id is taken as it is. */
async function findMetric(
  client: Client,
  { metric, baseline, candidate }: PlanQuestion,
): Promise<string> {
  const runId = candidate ?? baseline;
  if (runId === undefined) return metric;
  const { metrics } = await client.request('GET', '/runs/:runId/summary', { params: { runId } });
  const named = new Map(metrics.map(({ metricId: id, name }) => [id, { id, name }]));
  const found = findNamed([...named.values()], { kind: 'metric', wanted: metric });
  if (found) return found.id;
  if (isSystemMetricId(metric)) return metric;
  throw unknownName(
    { kind: 'metric', wanted: metric },
    metrics.map(({ name }) => name),
  );
}
