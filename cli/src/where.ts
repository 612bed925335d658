import { choose } from '@assay/client/named';
import type { RecordOutcome } from '@assay/contracts/run-records/record-filters';
import { CommandFailure, UsageFailure } from './failure.ts';
import type { RunMetric } from './lookup.ts';

/** Those of the API. */
const outcomes: Record<RecordOutcome, true> = {
  pass: true,
  fail: true,
  failed: true,
  pending: true,
  awaited: true,
  stopped: true,
  errored: true,
  invalid: true,
};

/** A condition on the score of one metric. */
export interface Condition {
  metric: string;
  parameter: 'outcome' | 'value' | 'min' | 'max';
  value: string;
}

const parameters = { ':': 'outcome', '=': 'value', '>=': 'min', '<=': 'max' } as const;
const forms = `Write 'Metric:fail' (${Object.keys(outcomes).join(', ')}), 'Metric=true', 'Metric>=0.5' or 'Metric<=3'.`;

/** Reads `Helpful:fail` and its like. The name of the metric may have colons of its own. */
export function readCondition(text: string): Condition {
  const [, metric, sign, value] = /^(.*[^<>])(>=|<=|=|:)([^:=<>]+)$/s.exec(text) ?? [];
  if (metric === undefined || sign === undefined || value === undefined)
    throw new UsageFailure(`Error: "${text}" is no condition. ${forms}`);
  const parameter = parameters[sign as keyof typeof parameters];
  const condition = { metric: metric.trim(), parameter, value: value.trim() };
  const isKnown = {
    outcome: Object.hasOwn(outcomes, condition.value),
    value: /^(true|false|-?\d+(\.\d+)?)$/.test(condition.value),
    min: /^-?\d+(\.\d+)?$/.test(condition.value),
    max: /^-?\d+(\.\d+)?$/.test(condition.value),
  }[parameter];
  if (!isKnown)
    throw new UsageFailure(`Error: "${condition.value}" of "${text}" is unknown. ${forms}`);
  return condition;
}

/** The parameters of the list of records; of a metric that was scored anew, its newest version. */
export function queryOf(
  { metric, parameter, value }: Condition,
  metrics: readonly RunMetric[],
): Record<string, string> {
  const newest = [...new Map(metrics.map((each) => [each.metricId, each])).values()];
  const named = newest.map((each) => ({ ...each, id: each.metricId }));
  if (named.length === 0) throw new CommandFailure('The run has no metric: give no --where.');
  const found = choose(named, { kind: 'metric', wanted: metric });
  return { metricVersionId: found.metricVersionId, [parameter]: value };
}
