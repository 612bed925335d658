import type { Code } from '@assay/contracts/metrics';
import type { Place } from './failure.ts';

/** An object of JSON. */
export type Fields = Record<string, unknown>;

/**
 * One thing that a reader yields. They come in this order: testsets, metrics, systems and runs, each before the
 * first entity that names it; then testcases, records, scores and annotations as they stand in the
 * source, a score after its record; then losses. A `ref` names an entity within one import.
 */
export type Entity =
  | TestsetEntity
  | TestcaseEntity
  | MetricEntity
  | SystemEntity
  | RunEntity
  | RecordEntity
  | ScoreEntity
  | AnnotationEntity
  | LossEntity;

/** The body of `POST /projects/{projectId}/testsets`. */
export interface TestsetEntity {
  kind: 'testset';
  ref: string;
  name: string;
  description: string;
  jsonSchema: Fields;
  fieldMapping: { inputs: string[]; expected: string[]; metadata: string[] };
  /** The field of the metadata that has the tags. */
  tagsField?: string;
}

/** An entry of a testset's import. */
export interface TestcaseEntity {
  kind: 'testcase';
  testset: string;
  /** The source's own id, unique in the testset; left out where it has none. */
  key?: string;
  jsonData: Fields;
  /** The source lacks some of its data: a stored testcase of this key is not changed. */
  isPartial?: true;
}

export interface MetricEntity {
  kind: 'metric';
  ref: string;
  body: MetricBody;
}

/** The body of `POST /projects/{projectId}/metrics`. */
export interface MetricBody {
  name: string;
  description?: string;
  evalType: 'ai' | 'human' | 'heuristic';
  outputType: 'int' | 'float' | 'boolean';
  guidelines: string;
  /** The scale, where it is not that of the output type. */
  min?: number | null;
  max?: number | null;
  lowerIsBetter?: true;
  passingThreshold?: number;
  promptTemplate?: string;
  evalModelName?: string;
  builtin?: { name: string; options: Fields };
  code?: Code;
}

/**
 * One version of a system: the body of `POST /projects/{projectId}/systems`. Several versions of a
 * system are several entities of one name.
 */
export interface SystemEntity {
  kind: 'system';
  ref: string;
  name: string;
  description: string;
  config: Fields;
}

/** The body of `POST /projects/{projectId}/runs`, with references in place of ids. */
export interface RunEntity {
  kind: 'run';
  ref: string;
  name: string;
  testset?: string;
  system?: string;
  metrics: string[];
  labels: Record<string, string>;
  /** ISO 8601. */
  startedAt?: string;
  /** The column of a table that has its answers, and how many testcases have one. */
  column?: string;
  answers?: number;
}

/** A line of a run's bulk records, with references in place of ids. */
export interface RecordEntity {
  kind: 'record';
  run: string;
  /** Unique in the run, and the same at each reading: a repeated import changes nothing. */
  clientId: string;
  testset?: string;
  /** The key of its testcase in that testset. */
  testcaseKey?: string;
  inputs: Fields;
  expected: Fields;
  outputs: Fields;
  /** Why the system gave no answer: the record counts as the worst that its metrics can say. */
  error?: SystemErrorFacts;
  tags: string[];
  otelLinkId?: string;
  metrics?: Usage;
  metadata?: Fields;
}

/** Why a system gave no answer. */
export interface SystemErrorFacts {
  name?: string;
  message: string;
  stack?: string;
}

/** The time, tokens and money that one answer took. */
export interface Usage {
  latencyMs?: number;
  inputTokens?: number;
  outputTokens?: number;
  costUsd?: number;
}

/** `score` is that of `PUT /records/{recordId}/scores/{metricConfigId}`. */
export interface ScoreEntity {
  kind: 'score';
  run: string;
  /** The `clientId` of its record. */
  record: string;
  metric: string;
  score: ScoreValue;
}

/** One of the values; `value: null` where the metric does not apply to the record. */
export interface ScoreValue {
  binaryScore?: boolean;
  intScore?: number;
  floatScore?: number;
  value?: null;
  reasoning?: string;
}

/** The body of `POST /records/{recordId}/annotations`. */
export interface AnnotationEntity {
  kind: 'annotation';
  run: string;
  record: string;
  rating?: boolean;
  comment?: string;
}

/** Something of the source that could not be carried, or not as it was. */
export interface LossEntity {
  kind: 'loss';
  /** The first of them. */
  place: Place;
  /** One sentence. */
  reason: string;
  count: number;
}
