import { isDeepStrictEqual } from 'node:util';
import type { Request } from '@assay/contracts/define';
import type {
  Code,
  EvalType,
  Metric,
  MetricConfig,
  MetricVersion,
  MetricVersionOutline,
  metrics,
  OutputType,
} from '@assay/contracts/metrics';
import { JsonText } from '@assay/contracts/payload';
import {
  defaultThreshold,
  isSameScale,
  type StatedScale,
  statedScale,
  statedWhole,
} from '@assay/contracts/scale';
import { canonicalJson } from '@assay/json/canonical';
import { parseJson } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';

type Operations = (typeof metrics)['operations'];
export type MetricBody = Request<Operations['createMetric']>['body'];
export type MetricChange = Request<Operations['updateMetric']>['body'];

/** Everything that a score depends on. Each version of a metric has one. */
export interface MetricDefinition {
  evalType: EvalType;
  outputType: OutputType;
  guidelines: string;
  /** null for boolean metrics, and on a scale without an end where none was sent. */
  passingThreshold: number | null;
  /** Both ends are left out where the scale is that of the output type. */
  min?: number | null;
  max?: number | null;
  /** Left out where more is better. */
  lowerIsBetter?: true;
  /** null for all but ai metrics. */
  judge: Judge | null;
  /**
   * At most one of `builtin` and `code`; both null where the scores come from people, clients or a
   * judge.
   */
  builtin: Builtin | null;
  code: Code | null;
  /** Members that score each record of a human metric; null where none were sent: 1. */
  annotators: number | null;
  /** `pair` for judges of two runs; null for all other metrics. */
  subject: 'pair' | null;
}

export interface Judge {
  promptTemplate: string;
  evalModelName: string;
  temperature: number | null;
  /** null where none were sent: 1. */
  votes: number | null;
  seed: number | null;
}

export interface Builtin {
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
  scoring: MetricDefinition;
}

export interface StoredVersion {
  id: string;
  projectId: string;
  metricId: string;
  /** The metric's name, which changes without a new version. */
  name: string;
  scoring: MetricDefinition;
  /** Left out in versions of earlier releases. */
  createdByUserId?: string;
}

/** Returns the definition by which a new metric scores. */
export function scoringOf(
  body: MetricBody,
  { judgeModel }: { judgeModel: string },
): MetricDefinition {
  return {
    evalType: body.evalType,
    outputType: body.outputType,
    guidelines: body.guidelines,
    passingThreshold: sentThreshold(body) ?? defaultThreshold(body),
    ...statedScale(body),
    judge: body.evalType === 'ai' ? judgeOf(body, judgeModel) : null,
    builtin: body.evalType === 'heuristic' && body.builtin ? builtinOf(body.builtin) : null,
    code: (body.evalType === 'heuristic' && body.code) || null,
    annotators: (body.evalType === 'human' && body.annotators) || null,
    subject: body.evalType === 'ai' && body.subject === 'pair' ? 'pair' : null,
  };
}

/** A threshold that is sent for a boolean is ignored. */
const sentThreshold = (body: MetricBody | MetricChange): number | undefined =>
  'passingThreshold' in body ? body.passingThreshold : undefined;

// The contract gives a temperature its default, which the type of its optional parts does not show.
const judgeOf = (
  {
    promptTemplate,
    evalModelName,
    temperature = 0,
    votes,
    seed,
  }: Partial<Judge> & { promptTemplate: string },
  judgeModel: string,
): Judge => ({
  promptTemplate,
  evalModelName: evalModelName ?? judgeModel,
  temperature,
  votes: votes ?? null,
  seed: seed ?? null,
});

/** Returns a metric after a change; fields that the change does not name stay. */
export function changedMetric(before: StoredMetric, change: MetricChange): StoredMetric {
  const { name = before.name, description = before.description } = change;
  return { ...before, name, description, scoring: changedScoring(before.scoring, change) };
}

function changedScoring(before: MetricDefinition, change: MetricChange): MetricDefinition {
  const { guidelines = before.guidelines } = change;
  const after = { ...rescaled(before, change), guidelines };
  switch (change.evalType) {
    case 'ai':
      return { ...after, judge: before.judge && { ...before.judge, ...given(change) } };
    case 'human':
      return { ...after, annotators: change.annotators ?? before.annotators };
    case 'heuristic':
      return { ...after, ...changedEvaluator(before, change) };
  }
}

/**
 * A definition with the scale and the direction of a change. A threshold that was the default moves
 * with them: it would say something else on another scale.
 */
function rescaled(before: MetricDefinition, change: MetricChange): MetricDefinition {
  const { min: _min, max: _max, lowerIsBetter: _lowerIsBetter, ...rest } = before;
  const scale = { ...statedWhole(before), ...sentScale(change), outputType: before.outputType };
  const isDefault = before.passingThreshold === defaultThreshold(before);
  const moves = isDefault && !isSameScale(before, scale);
  return {
    ...rest,
    passingThreshold:
      sentThreshold(change) ?? (moves ? defaultThreshold(scale) : before.passingThreshold),
    ...statedScale(scale),
  };
}

/** The members of a scale that a change names. */
function sentScale(change: MetricChange): Partial<StatedScale> {
  const { min, max, lowerIsBetter }: StatedScale = change;
  return Object.fromEntries(
    Object.entries({ min, max, lowerIsBetter }).filter(([, value]) => value !== undefined),
  );
}

const given = (change: Partial<Judge>): Partial<Judge> =>
  Object.fromEntries(
    (['promptTemplate', 'evalModelName', 'temperature', 'votes', 'seed'] as const).flatMap(
      (field) => (change[field] === undefined ? [] : [[field, change[field]]]),
    ),
  );

/** A built-in evaluator takes the place of code, and code that of a built-in evaluator. */
function changedEvaluator(
  before: MetricDefinition,
  { builtin, code }: Extract<MetricChange, { evalType: 'heuristic' }>,
): Pick<MetricDefinition, 'builtin' | 'code'> {
  if (code) return { builtin: null, code };
  if (builtin) return { builtin: builtinOf(builtin), code: null };
  return { builtin: before.builtin, code: before.code };
}

const builtinOf = ({
  name,
  options,
}: {
  name: string;
  options?: JsonText | undefined;
}): Builtin => ({
  name,
  // On one line, and every key once.
  optionsText: options === undefined ? null : writeJson(parseJson(options.toString())),
});

/**
 * Do both score in the same way? Neither the order of an evaluator's options matters, nor whether a
 * default was sent.
 */
export const isSameScoring = (left: MetricDefinition, right: MetricDefinition): boolean =>
  isDeepStrictEqual(comparable(left), comparable(right));

/** The fields, by the names that clients know, in which one scores in another way. */
export function changesBetween(before: MetricDefinition, after: MetricDefinition): string[] {
  const [former, later] = [fieldsOf(before), fieldsOf(after)];
  return Object.keys(later)
    .filter((name) => !isDeepStrictEqual(former[name], later[name]))
    .sort();
}

function fieldsOf(scoring: MetricDefinition): Record<string, unknown> {
  const { judge, ...others } = comparable(scoring);
  return { ...others, ...judge };
}

const comparable = ({ judge, builtin, annotators, ...scoring }: MetricDefinition) => ({
  ...scoring,
  ...statedWhole(scoring),
  judge: judgeWhole(judge),
  builtin: builtin && { name: builtin.name, options: canonicalJson(builtin.optionsText ?? '{}') },
  annotators: annotators ?? 1,
});

const judgeWhole = (judge: Judge | null) => judge && { ...judge, votes: judge.votes ?? 1 };

const builtinWhole = (builtin: Builtin | null) =>
  builtin && { name: builtin.name, options: new JsonText(builtin.optionsText ?? '{}') };

/**
 * A metric as clients see it: of its nine shapes the one that its types name, and nothing besides.
 */
export function toReply({ id, name, description, scoring }: StoredMetric): Metric {
  return { id, name, description, ...toConfig(scoring) } as Metric;
}

/** A definition as clients see it: the fields of its shape. */
export function toConfig({
  evalType,
  outputType,
  guidelines,
  passingThreshold,
  judge,
  builtin,
  code,
  annotators,
  subject,
  ...scoring
}: MetricDefinition): MetricConfig {
  return {
    evalType,
    guidelines,
    outputType,
    ...(judge ? judgeReply(judge) : {}),
    ...statedScale({ outputType, ...scoring }),
    ...(passingThreshold === null ? {} : { passingThreshold }),
    ...(builtin ? { builtin: builtinReply(builtin) } : {}),
    ...(code ? { code } : {}),
    ...(annotators === null ? {} : { annotators }),
    ...(subject === null ? {} : { subject }),
  } as MetricConfig;
}

const builtinReply = ({ name, optionsText }: Builtin) => ({
  name,
  ...(optionsText === null ? {} : { options: new JsonText(optionsText) }),
});

const judgeReply = ({ promptTemplate, evalModelName, temperature, votes, seed }: Judge) => ({
  promptTemplate,
  evalModelName,
  temperature,
  ...(votes === null ? {} : { votes }),
  ...(seed === null ? {} : { seed }),
});

/** Returns the current version of a metric. */
export const versionOf = ({
  id,
  projectId,
  name,
  versionId,
  scoring,
}: StoredMetric): StoredVersion => ({
  id: versionId,
  projectId,
  metricId: id,
  name,
  scoring,
});

/** A version as runs see it. */
export const toOutline = ({
  id,
  metricId,
  name,
  scoring,
}: StoredVersion): MetricVersionOutline => ({
  metricVersionId: id,
  metricId,
  name,
  evalType: scoring.evalType,
  outputType: scoring.outputType,
  passingThreshold: scoring.passingThreshold,
  ...statedScale(scoring),
  // A judge of pairs scores no records.
  isScoredByService:
    scoring.subject === null &&
    [scoring.judge, scoring.builtin, scoring.code].some((scorer) => scorer !== null),
  evalModelName: scoring.judge?.evalModelName ?? null,
  annotators: scoring.annotators ?? 1,
  ...(scoring.subject === null ? {} : { subject: scoring.subject }),
});

/** A whole version, as it is needed to make a score. */
export const toVersion = (version: StoredVersion): MetricVersion => ({
  ...toOutline(version),
  guidelines: version.scoring.guidelines,
  judge: judgeWhole(version.scoring.judge),
  builtin: builtinWhole(version.scoring.builtin),
  code: version.scoring.code,
});
