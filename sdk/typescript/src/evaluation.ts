// The types of the package. They stand alone, since the package is published without the
// repository.

import type { ExpectedOf, FieldsOf, Json, OutputsOf, ValueOf } from './record-types.ts';

export type { Json } from './record-types.ts';

/** A testcase as systems and scorers see it. */
export interface Testcase<Inputs = Json, Expected = Json> {
  /** Absent without a server. */
  id?: string;
  key?: string;
  inputs: Inputs;
  expected: Expected;
  /** The fields that are neither. */
  metadata: Json;
}

/** A call of the system, beside its inputs. */
export interface CallContext<Inputs = Json, Expected = Json> {
  testcase: Testcase<FieldsOf<Inputs>, ExpectedOf<Inputs, Expected>>;
  /** From 1 to `trials`. */
  trial: number;
  /** Ends when the call has taken `timeoutMs`, or the evaluation is stopped. */
  signal: AbortSignal;
  /**
   * The id that joins the record with its trace: give it to your tracer. The record carries it once
   * it was read.
   */
  readonly otelLinkId: string;
}

/**
 * The system under test. Its result is the record's outputs; one that is no object becomes `{
 * output: … }`. An exception, or no result within `timeoutMs`, becomes a record with an `error`.
 */
export type System<Inputs = Json, Outputs = unknown, Expected = Json> = (
  inputs: FieldsOf<Inputs>,
  context: CallContext<Inputs, Expected>,
) => Outputs | PromiseLike<Outputs>;

/**
 * A score: true or false, a number on the scorer's scale, or null: not applicable. Where no scale is
 * named, a number is one from 0 to 1, or a whole one from 1 to 5.
 */
export type ScoreValue = boolean | number | null;

/** Why the system gave no answer, as a record keeps it. */
export interface SystemError {
  name: string;
  message: string;
  /** Where it was thrown. */
  stack?: string;
  /** The HTTP status that a provider answered with. */
  status?: number;
}

/** A record as scorers see it. */
export interface ScorerRecord<Inputs = Json, Outputs = unknown, Expected = Json> {
  inputs: FieldsOf<Inputs>;
  /**
   * The same as `reference` for a scorer that reads `input` or `output`, and neither `inputs` nor
   * `outputs`.
   */
  expected: ExpectedOf<Inputs, Expected>;
  /** The value of the only field of `inputs`, else of its field `input`; else all of it. */
  input: ValueOf<FieldsOf<Inputs>, 'input'>;
  /** The value of the only field of `outputs`, else of its field `output`; else all of it. */
  output: ValueOf<OutputsOf<Outputs>, 'output'>;
  /** The value of the only field of `expected`, else of its field `expected`; else all of it. */
  reference: ValueOf<ExpectedOf<Inputs, Expected>, 'expected'>;
  /** The same as `expected`, always with its fields. */
  referenceOutputs: ExpectedOf<Inputs, Expected>;
  /** The fields of the testcase that are neither inputs nor expected. */
  metadata: Json;
  /** Without any field where there is an `error`. */
  outputs: OutputsOf<Outputs>;
  /** Why the system gave no answer. A scorer that names it is called for such records, too. */
  error?: SystemError;
}

/** A scorer of your own: gets a record, and returns its score, maybe with a reason. */
export type Scorer<Inputs = Json, Outputs = unknown, Expected = Json> = (
  record: ScorerRecord<Inputs, Outputs, Expected>,
) => Result | Promise<Result>;

/** The scale and the direction of a scorer's values. */
export interface ScorerScale {
  /** The least value; 0 by default, null for none. */
  min?: number | null;
  /** The greatest value; 1 by default, null for none. */
  max?: number | null;
  /** Less is better; `true` is then the bad value of a boolean. */
  lowerIsBetter?: boolean;
}

/** A scorer with the scale of its values: `{ scorer: bleu, min: 0, max: 100 }`. */
export interface ScaledScorer<Inputs = Json, Outputs = unknown, Expected = Json>
  extends ScorerScale {
  scorer: Scorer<Inputs, Outputs, Expected>;
}

/** A score with its reason; the first one of a scorer may name the scale. */
interface SaidScore extends ScorerScale {
  reasoning?: string;
  /** As autoevals has it; `rationale` is the reason. */
  metadata?: Json;
}
type Result =
  | ScoreValue
  | (SaidScore & { value: ScoreValue })
  | (SaidScore & { score: ScoreValue });

/** A share from 0 to 1, or a percentage such as "90%". */
export type Share = number | string;

/** So many, or a part of those that are expected, such as "5%". */
export type Allowance = number | string;

/** When a candidate is too bad: it is worse, or outside of these limits. */
export interface Gate {
  /**
   * The most that it may be worse, in the metric's own unit: 0.02 of a pass rate is two points of a
   * hundred.
   */
  maxRegression?: number;
  /** The least pass rate, over all testcases that the run expects; an error does not pass. */
  minPassRate?: Share;
  /** With `minPassRate`: how many records of a testcase have to pass. */
  minPasses?: number;
  /** The most records on which the system may fail. */
  maxErrors?: Allowance;
  /** How many scores of each metric and run may be missing, failed or invalid. */
  allowMissing?: Allowance;
}

/**
 * Testcases of one's own: rows, or the path of a file of CSV, JSON, JSON lines or Parquet. A row is `{
 * inputs, expected, key, metadata }`, `{ input, expected }`, or an object of columns whose names say what
 * they are.
 */
export type GivenTestcases<Inputs = Json, Expected = Json> =
  | string
  | Iterable<GivenRow<Inputs, Expected>>
  | AsyncIterable<GivenRow<Inputs, Expected>>
  | Iterable<unknown>
  | AsyncIterable<unknown>;

/** The form of a row that tells its types. */
export interface GivenRow<Inputs = Json, Expected = Json> {
  inputs: Inputs;
  expected?: Expected;
}

/**
 * The options that need no server. Types come from the rows of `testcases` and from the system; without
 * rows the system names its inputs: `({ question }: { question: string }) => …`. Scorers that stand
 * after the system know its outputs.
 */
export interface ExecutionOptions<Inputs = Json, Outputs = unknown, Expected = Json> {
  system: System<Inputs, Outputs, Expected>;
  /** Scorers of your own, by the names of their metrics. */
  scores?: Record<
    string,
    Scorer<Inputs, Outputs, Expected> | ScaledScorer<Inputs, Outputs, Expected>
  >;
  /** How often the system answers each testcase; 1 by default. */
  trials?: number;
  /** Only the first testcases. */
  limit?: number;
  /** Only so many testcases, drawn by `seed`: the same ones each time. */
  sample?: number;
  seed?: number;
  /** Calls of the system at once; 8 by default. */
  concurrency?: number;
  /** The longest that one call of the system may take; two minutes by default. */
  timeoutMs?: number;
  /** How often a call is made again that a provider's limit refused (429, 503, 529); 3 by default. */
  retries?: number;
  /** Calls of the system a minute at most. */
  rateLimit?: number;
  /** Prints nothing. */
  quiet?: boolean;
}

/** An evaluation on a server. */
export interface ServerOptions<Inputs = Json, Outputs = unknown, Expected = Json>
  extends ExecutionOptions<Inputs, Outputs, Expected> {
  local?: false;
  /** A testset's name or id. */
  testset: string;
  /** Makes the testset, or brings it up to these by their keys: the run is over them. */
  testcases?: GivenTestcases<Inputs, Expected>;
  /**
   * The column with the key of a row. By default `key`, else `id` where each row has another one, else a
   * hash of the inputs.
   */
  key?: string;
  /** Deletes the testcases of the testset that are not given. */
  sync?: boolean;
  /** Makes the project where there is none of this name. */
  createProject?: boolean;
  /** Names or ids of metrics. */
  metrics?: string[];
  /** JSON Pointers into the data of testcases with values: only the testcases that have these. */
  where?: Json;
  /** Only the testcases with these keys. */
  keys?: string[];
  /** Whatever makes this version of the system what it is: model, prompt, parameters. */
  config?: Json;
  /** The system of `config`; the project's only one by default, else "Default system". */
  systemName?: string;
  /** A name for the version of `config`. */
  versionName?: string;
  /** A name for the run. */
  name?: string;
  /** Labels of the run, beside `commit` and `branch`. */
  labels?: Record<string, string>;
  /** US dollars that judges may cost. */
  budgetUsd?: number;
  /**
   * The run to compare with, in place of the testset's baseline: an id, a name, `branch:NAME`,
   * `latest:NAME`, `production` or `baseline`.
   */
  baseline?: string;
  /** Makes a worse result an error: a script ends with exit code 1. */
  gate?: Gate;
  /** Makes the run the baseline of the testset, where the result passes. */
  setBaseline?: boolean;
  /** Makes the version of `config` the production version, where the result passes. */
  promote?: boolean;
  /** The id of a run to complete; `ASSAY_RESUME` by default. */
  resume?: string;
  /** With a run to complete: runs the testcases whose records are errors again. */
  retryErrors?: boolean;
  /** The server's address; `ASSAY_URL` by default. */
  url?: string;
  /** `ASSAY_API_KEY` by default. */
  apiKey?: string;
  /** How long a server that is away is waited for; two minutes by default. */
  patienceMs?: number;
}

/** A metric that needs no server: a built-in evaluator. */
export interface LocalMetric {
  name: string;
  outputType: 'boolean' | 'float';
  lowerIsBetter?: boolean;
  builtin: { name: string; options?: Json };
}

/** An evaluation on this machine alone: nothing is sent or stored. */
export interface LocalOptions<Inputs = Json, Outputs = unknown, Expected = Json>
  extends ExecutionOptions<Inputs, Outputs, Expected> {
  local: true;
  testcases: GivenTestcases<Inputs, Expected>;
  metrics?: LocalMetric[];
}

/** The scores of one metric. */
export interface MetricResult {
  name: string;
  outputType: 'boolean' | 'int' | 'float';
  /** The scale, where it is not that of the output type; null where an end is missing. */
  min?: number | null | undefined;
  max?: number | null | undefined;
  /** Less is better. */
  lowerIsBetter?: boolean | undefined;
  /** Testcases that have a score. */
  count: number;
  /** Scores that could not be made. */
  failed: number;
  /** Records on which the system failed: each counts as the worst value. */
  errored?: number;
  /** Scores outside of the scale, or of another type: they are in no mean. */
  invalid?: number;
  mean: number | null;
  passRate: number | null;
  confidenceInterval: { low: number; high: number; level: number } | null;
}

/** The comparison of one metric with the baseline. */
export interface MetricVerdict {
  name: string;
  /** Less is better. */
  lowerIsBetter?: boolean;
  /** Testcases that both runs have a score for. */
  paired: number;
  /** On average; null where no testcase is paired. */
  recordsPerTestcase: { baseline: number | null; candidate: number | null };
  /** Whose verdict it is: of the scores, of the judge alone, or of the judge that people correct. */
  decidedBy: 'scores' | 'judge' | 'people';
  verdict: 'better' | 'worse' | 'undecided';
  difference: number | null;
  confidenceInterval: { low: number; high: number; level: number } | null;
  adjustedPValue: number | null;
  baselineMean: number | null;
  candidateMean: number | null;
  /** The verdict whole, with its figures. */
  sentence: string;
}

export interface Comparison {
  baselineRunId: string;
  metrics: MetricVerdict[];
  /** How often the systems failed, compared like a metric. */
  errors?: MetricVerdict;
  warnings: string[];
  /** The comparison in the console. */
  link: string;
}

/** One record: the question, the answer of the system, and its scores by metric. */
export interface Row<Inputs = Json, Outputs = unknown, Expected = Json> {
  inputs: Plain<FieldsOf<Inputs>>;
  /** Without any field where there is an `error`. */
  outputs: Plain<OutputsOf<Outputs>>;
  expected: Plain<ExpectedOf<Inputs, Expected>>;
  /** Null where a score is missing, failed, or does not apply. */
  scores: Record<string, ScoreValue>;
  /** Why there is no answer. */
  error?: SystemError;
  durationMs: number | null;
}

/** Fits `Json`, as an interface does not. */
type Plain<Fields> = { [Name in keyof Fields]: Fields[Name] };

/** The result of an evaluation. */
export interface Evaluation<Inputs = Json, Outputs = unknown, Expected = Json> {
  /** Null without a server, as is the link. */
  runId: string | null;
  /** The run or its comparison in the console. */
  link: string | null;
  /** Records that were made by now, and those of them on which the system failed. */
  records: number;
  errors: number;
  metrics: MetricResult[];
  /** How often the system failed, in the form of a metric: the last row of the table. */
  errorRate?: MetricResult;
  /** Where the system failed on every record of the run. */
  everyCallFailed?: true;
  /** Null where there is nothing to compare with. */
  comparison: Comparison | null;
  /** `unknown` where the runs cannot be compared, or the comparison cannot tell. */
  outcome: 'passed' | 'worse' | 'unknown';
  /** 0 for passed, 1 for worse, 2 for unknown. */
  exitCode: 0 | 1 | 2;
  /** Why, in a sentence. */
  reason: string;
  /** The sentences that are printed below the table, also where nothing is printed. */
  notes: string[];
  /** The records of the run, read from the server as they are asked for. */
  rows(): AsyncIterable<Row<Inputs, Outputs, Expected>>;
}
