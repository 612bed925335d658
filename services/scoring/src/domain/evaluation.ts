import type { CodeSandbox } from '@assay/code-sandbox/sandbox';
import type { MetricVersion } from '@assay/contracts/metrics';
import type { JsonText } from '@assay/contracts/payload';
import type { Judgement } from '@assay/contracts/run-records';
import { scoreValue, valueInWords } from '@assay/contracts/scale';
import { checkDocuments, readOptions } from '@assay/evaluators/evaluate';
import type { Evaluation, SchemaChecker } from '@assay/evaluators/evaluation';
import { guardItem } from '@assay/runtime/concurrency/guard-item';
import type { Outcome } from '@assay/runtime/concurrency/workers';
import { type FailureOutcome, failureOutcome } from './failure-outcome.ts';
import type { FindRounded } from './rounded-numbers.ts';
import type { RunawayCode } from './runaway-code.ts';

/** How long the evaluators may run for one group; the slowest text that is taken needs 2 s. */
export const groupDeadlineMs = 8000;
/**
 * Pending scores that are evaluated in one task: few enough that one slow evaluation delays few
 * others.
 */
const groupSize = 100;

/** Characters of the reason why a metric does not apply that the contract takes. */
const notApplicableReasoningMax = 16_384;

/** A score that is to be made: one metric version on one record, with the record's payloads. */
export interface PendingScore {
  recordId: string;
  metric: MetricVersion;
  inputs: JsonText;
  expected: JsonText;
  outputs: JsonText;
  /** The project that a judge's answers are kept for; left out where the cache is bypassed. */
  cacheProjectId?: string | undefined;
}

export type Evaluate = (scores: PendingScore[], attempt: number) => Promise<Judgement[]>;

type StoredBuiltin = NonNullable<PendingScore['metric']['builtin']>;

/** The message to the worker: the record's texts, which the worker parses. */
export interface Task {
  evaluator: string;
  /** JSON text, since a clone of its values would lose digits. */
  options: string;
  outputType: PendingScore['metric']['outputType'];
  expected: Uint8Array;
  outputs: Uint8Array;
}

interface Done {
  evaluation: Evaluation;
  durationMs: number;
}

/**
 * The worker's reply: the evaluation, or the JSON texts of which one has to fit the metric's
 * schema, or the message of the error that the evaluator threw.
 */
export type EvaluationReply =
  | Done
  | { documents: Uint8Array[]; durationMs: number }
  | { fault: string };

interface Dependencies {
  /**
   * Evaluates on another thread, which is stopped at the deadline; `item` is then the score that it
   * was at.
   */
  inWorker: (task: { scores: Task[] }) => Promise<Outcome<EvaluationReply[]>>;
  schemaChecker: SchemaChecker;
  codeSandbox: Pick<CodeSandbox, 'evaluate'>;
  /** Waits for a sandbox: organizations take turns. */
  inSandboxTurn: <Result>(work: () => Promise<Result>) => Promise<Result>;
  runawayCode: RunawayCode;
  findRounded: FindRounded;
}

/**
 * Makes pending scores by their metric's built-in evaluator or code. Each gets a judgement: its
 * value, or a failure for good.
 */
export function createEvaluate({
  inWorker,
  schemaChecker,
  codeSandbox,
  inSandboxTurn,
  runawayCode,
  findRounded,
}: Dependencies): Evaluate {
  /**
   * The score at which a group was stopped fails; the others are made again without it. A group
   * that ends its worker is halved until the score that does so is alone.
   */
  async function evaluateGroup(scores: PendingScore[], attempt: number): Promise<Judgement[]> {
    if (scores.length === 0) return [];
    const guarded = await guardItem(() => inWorker({ scores: scores.map(toTask) }));
    if ('fault' in guarded) {
      if (scores.length === 1) return [threw(scores[0]!, guarded.fault, attempt)];
      const half = Math.ceil(scores.length / 2);
      return [
        ...(await evaluateGroup(scores.slice(0, half), attempt)),
        ...(await evaluateGroup(scores.slice(half), attempt)),
      ];
    }
    const { result: outcome } = guarded;
    if ('result' in outcome)
      return Promise.all(
        scores.map((score, index) => judgementOf(score, outcome.result[index]!, attempt)),
      );
    const at = Math.max(0, outcome.item);
    return [
      tookTooMuch(scores[at]!, outcome.stopped, attempt),
      ...(await evaluateGroup(scores.toSpliced(at, 1), attempt)),
    ];
  }

  async function evaluateInGroups(scores: PendingScore[], attempt: number): Promise<Judgement[]> {
    const judgements: Judgement[] = [];
    for (let from = 0; from < scores.length; from += groupSize) {
      judgements.push(...(await evaluateGroup(scores.slice(from, from + groupSize), attempt)));
    }
    return judgements;
  }

  /**
   * A schema has workers and a deadline of its own, which take the texts that the first worker
   * read.
   */
  async function judgementOf(
    score: PendingScore,
    evaluated: EvaluationReply,
    attempt: number,
  ): Promise<Judgement> {
    if ('fault' in evaluated) return threw(score, evaluated.fault, attempt);
    if ('evaluation' in evaluated) return toJudgement(score, evaluated, attempt);
    const startedAt = performance.now();
    const { outputType } = score.metric;
    const builtin = readBuiltin(score.metric.builtin!);
    const { documents } = evaluated;
    const checked = await guardItem(() =>
      checkDocuments({ builtin, outputType, documents, schemaChecker }),
    );
    if ('fault' in checked) return threw(score, checked.fault, attempt);
    const durationMs = evaluated.durationMs + performance.now() - startedAt;
    return toJudgement(score, { evaluation: checked.result, durationMs }, attempt);
  }

  /** Code has processes and a deadline of its own. */
  async function evaluateByCode(score: PendingScore, attempts: number): Promise<Judgement> {
    const guarded = await guardItem(async () => {
      const judgement = await runCode(score, attempts);
      const notes = await findRounded(score.metric.code!.language, score);
      return { ...judgement, ...(notes.length > 0 ? { notes } : {}) };
    });
    return 'result' in guarded ? guarded.result : threw(score, guarded.fault, attempts);
  }

  async function runCode(
    { recordId, metric, inputs, expected, outputs }: PendingScore,
    attempts: number,
  ): Promise<Judgement> {
    const { metricVersionId } = metric;
    const code = metric.code!;
    const evaluated = await inSandboxTurn(async () => {
      const reason = runawayCode.reason(metricVersionId);
      if (reason !== undefined)
        return { ok: false as const, code: 'timeout' as const, message: reason, line: undefined };
      const outcome = await codeSandbox.evaluate({
        code,
        inputs: inputs.bytes,
        expected: expected.bytes,
        outputs: outputs.bytes,
      });
      runawayCode.note(metricVersionId, !outcome.ok && outcome.code === 'timeout');
      return outcome;
    });
    if (!evaluated.ok) {
      const message =
        evaluated.line === undefined
          ? evaluated.message
          : `Line ${evaluated.line}: ${evaluated.message}`;
      return failure({ recordId, metricVersionId, code: evaluated.code, message, attempts });
    }
    const { value: given, reasoning = '', durationMs } = evaluated;
    const made = {
      source: 'heuristic' as const,
      provenance: {
        metricVersionId,
        evaluator: code.language,
        durationMs: inMicroseconds(durationMs),
        attempts,
      },
    };
    if (given === null) {
      const reason = reasoning.slice(0, notApplicableReasoningMax);
      return {
        recordId,
        metricVersionId,
        outcome: { kind: 'notApplicable', reasoning: reason, ...made },
      };
    }
    const value = scoreValue(metric, given);
    if (value === undefined) {
      const message = misfit('evaluate', metric, given);
      return failure({ recordId, metricVersionId, code: 'code_error', message, attempts });
    }
    return { recordId, metricVersionId, outcome: { kind: 'score', value, reasoning, ...made } };
  }

  return async (scores, attempt) => {
    const byCode = scores.filter(({ metric }) => metric.code);
    const others = scores.filter(({ metric }) => metric.builtin);
    const codeJudgements = Promise.all(byCode.map((score) => evaluateByCode(score, attempt)));
    return [...(await evaluateInGroups(others, attempt)), ...(await codeJudgements)];
  };
}

const builtins = new WeakMap<StoredBuiltin, ReturnType<typeof parseBuiltin>>();

/** The evaluator with its options read: once for a metric, whose schema may be long. */
function readBuiltin(stored: StoredBuiltin) {
  const known = builtins.get(stored) ?? parseBuiltin(stored);
  builtins.set(stored, known);
  return known;
}

const parseBuiltin = ({ name, options }: StoredBuiltin) => ({
  name,
  options: readOptions(options.toString()),
});

// Copies, because a slice of a reply would cross to the worker with all of the reply.
const toTask = ({ metric, expected, outputs }: PendingScore): Task => ({
  evaluator: metric.builtin!.name,
  options: metric.builtin!.options.toString(),
  outputType: metric.outputType,
  expected: new Uint8Array(expected.bytes),
  outputs: new Uint8Array(outputs.bytes),
});

function toJudgement(
  { recordId, metric }: PendingScore,
  evaluated: Done,
  attempts: number,
): Judgement {
  const { metricVersionId } = metric;
  const evaluator = metric.builtin!.name;
  const { evaluation, durationMs } = evaluated;
  const fail = (message: string) =>
    failure({ recordId, metricVersionId, code: 'code_error', message, attempts });
  if (!evaluation.ok) return fail(evaluation.message);
  const value = scoreValue(metric, evaluation.value);
  if (value === undefined) return fail(misfit(evaluator, metric, evaluation.value));
  const provenance = {
    metricVersionId,
    evaluator,
    durationMs: inMicroseconds(durationMs),
    attempts,
  };
  return {
    recordId,
    metricVersionId,
    outcome: {
      kind: 'score',
      value,
      reasoning: evaluation.reasoning,
      source: 'heuristic',
      provenance,
    },
  };
}

const misfit = (evaluator: string, metric: MetricVersion, value: unknown): string =>
  `${evaluator} returned ${typeof value === 'number' ? value : JSON.stringify(value)?.slice(0, 200)}, but its metric is of the type ${metric.outputType}: ${valueInWords(metric)}.`;

const threw = ({ recordId, metric }: PendingScore, fault: string, attempts: number): Judgement =>
  failure({
    recordId,
    metricVersionId: metric.metricVersionId,
    code: 'code_error',
    message: `${metric.builtin?.name ?? 'The code'} failed on this record: ${fault}`,
    attempts,
  });

const tookTooMuch = (
  { recordId, metric }: PendingScore,
  what: 'time' | 'memory',
  attempts: number,
): Judgement =>
  failure({
    recordId,
    metricVersionId: metric.metricVersionId,
    code: 'timeout',
    message: `${metric.builtin!.name} was stopped because it took too much ${what}.`,
    attempts,
  });

const inMicroseconds = (ms: number): number => Math.round(ms * 1000) / 1000;

const failure = ({
  recordId,
  metricVersionId,
  ...outcome
}: Omit<FailureOutcome, 'kind'> & Omit<Judgement, 'outcome'>): Judgement => ({
  recordId,
  metricVersionId,
  outcome: failureOutcome(outcome),
});
