import { isDeepStrictEqual } from 'node:util';
import type { Request } from '@assay/contracts/define';
import type { EvalType, Metric, MetricVersion, MetricVersionOutline, metrics, OutputType } from '@assay/contracts/metrics';

type Operations = (typeof metrics)['operations'];
export type MetricBody = Request<Operations['createMetric']>['body'];
export type MetricChange = Request<Operations['updateMetric']>['body'];

/** All that a score depends on: what a version of a metric is. */
export interface Scoring {
  evalType: EvalType;
  outputType: OutputType;
  guidelines: string;
  /** null for boolean metrics. */
  passingThreshold: number | null;
  /** null for all but ai metrics. */
  judge: Judge | null;
  /** null where the scores come from people or clients. */
  builtin: Builtin | null;
}

interface Judge {
  promptTemplate: string;
  evalModelName: string;
  temperature: number | null;
}

interface Builtin {
  name: string;
  /** JSON; null where none were sent. Text, because keys of clients are no field names of ours. */
  optionsText: string | null;
}

export interface StoredMetric {
  id: string;
  projectId: string;
  name: string;
  description: string | null;
  /** The current version. */
  versionId: string;
  scoring: Scoring;
}

export interface StoredVersion {
  id: string;
  projectId: string;
  metricId: string;
  /** The metric's name, which changes without a new version. */
  name: string;
  scoring: Scoring;
}

/** What a new metric scores by. */
export function scoringOf(body: MetricBody, { judgeModel }: { judgeModel: string }): Scoring {
  return {
    evalType: body.evalType,
    outputType: body.outputType,
    guidelines: body.guidelines,
    passingThreshold: 'passingThreshold' in body ? body.passingThreshold : null,
    judge: body.evalType === 'ai' ? judgeOf(body, judgeModel) : null,
    builtin: body.evalType === 'heuristic' && body.builtin ? builtinOf(body.builtin) : null,
  };
}

// The contract gives a temperature its default, which the type of its optional parts does not show.
const judgeOf = (
  { promptTemplate, evalModelName, temperature = 0 }: Partial<Judge> & { promptTemplate: string },
  judgeModel: string,
): Judge => ({
  promptTemplate,
  evalModelName: evalModelName ?? judgeModel,
  temperature,
});

/** What a metric scores by after a change; what the change does not name stays. */
export function changedScoring(before: Scoring, change: MetricChange): Scoring {
  const { guidelines = before.guidelines } = change;
  const threshold = 'passingThreshold' in change ? change.passingThreshold : undefined;
  const builtin = change.evalType === 'heuristic' && change.builtin ? builtinOf(change.builtin) : before.builtin;
  const judge = before.judge && change.evalType === 'ai' ? { ...before.judge, ...given(change) } : before.judge;
  return { ...before, guidelines, passingThreshold: threshold ?? before.passingThreshold, judge, builtin };
}

const given = (change: Partial<Judge>): Partial<Judge> =>
  Object.fromEntries(
    (['promptTemplate', 'evalModelName', 'temperature'] as const).flatMap((field) =>
      change[field] === undefined ? [] : [[field, change[field]]],
    ),
  );

const builtinOf = ({ name, options }: { name: string; options?: Record<string, unknown> | undefined }): Builtin => ({
  name,
  optionsText: options === undefined ? null : JSON.stringify(options),
});

const optionsOf = ({ optionsText }: Builtin): Record<string, unknown> | undefined =>
  optionsText === null ? undefined : JSON.parse(optionsText);

/** Do both score in the same way? The order of an evaluator's options does not matter. */
export const isSameScoring = (left: Scoring, right: Scoring): boolean => isDeepStrictEqual(comparable(left), comparable(right));

const comparable = ({ builtin, ...scoring }: Scoring) => ({
  ...scoring,
  builtin: builtin && { name: builtin.name, options: optionsOf(builtin) ?? {} },
});

/** A metric as clients see it: of its nine shapes the one that its types name, and nothing besides. */
export function toReply({ id, name, description, scoring }: StoredMetric): Metric {
  const { evalType, outputType, guidelines, passingThreshold, judge, builtin } = scoring;
  const options = builtin ? optionsOf(builtin) : undefined;
  return {
    id,
    name,
    description,
    evalType,
    guidelines,
    outputType,
    ...(judge ? { promptTemplate: judge.promptTemplate, evalModelName: judge.evalModelName, temperature: judge.temperature } : {}),
    ...(passingThreshold === null ? {} : { passingThreshold }),
    ...(builtin ? { builtin: { name: builtin.name, ...(options ? { options } : {}) } } : {}),
  } as Metric;
}

/** A version as runs see it. */
export const toOutline = ({ id, metricId, name, scoring }: StoredVersion): MetricVersionOutline => ({
  metricVersionId: id,
  metricId,
  name,
  evalType: scoring.evalType,
  outputType: scoring.outputType,
  passingThreshold: scoring.passingThreshold,
  isScoredByService: scoring.judge !== null || scoring.builtin !== null,
});

/** A version whole, as whoever scores sees it. */
export const toVersion = (version: StoredVersion): MetricVersion => ({
  ...toOutline(version),
  guidelines: version.scoring.guidelines,
  judge: version.scoring.judge,
  builtin: version.scoring.builtin && { name: version.scoring.builtin.name, options: optionsOf(version.scoring.builtin) ?? {} },
});
