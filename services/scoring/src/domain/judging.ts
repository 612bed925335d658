import { createHash } from 'node:crypto';
import type { MetricVersion } from '@assay/contracts/metrics';
import type { JsonText } from '@assay/contracts/payload';
import type { Judgement } from '@assay/contracts/run-records';
import { aggregate } from '@assay/evaluators/aggregate';
import type { JudgeReply } from '../judges/judge-client.ts';
import type { Judges } from '../judges.ts';
import { failureOutcome } from './failure-outcome.ts';
import { type AnswerForm, answerFormOf } from './judging/answer.ts';
import type { AnswerCache, Reply, VoteQuestion } from './judging/answer-cache.ts';
import { instructionsOf } from './judging/instructions.ts';
import type { Render, RenderedPrompt } from './judging/rendering.ts';

/** One AI metric version on one record. */
export interface ScoreToJudge {
  organizationId: string;
  recordId: string;
  metric: MetricVersion;
  inputs: JsonText;
  expected: JsonText;
  outputs: JsonText;
  /** The project that answers are kept for; left out where the answer cache is bypassed. */
  cacheProjectId?: string | undefined;
  /** For judges of pairs: the outputs of the second run; `outputs` are then the first's. */
  secondOutputs?: JsonText | undefined;
  signal?: AbortSignal | undefined;
}

/** Asks a judge, or fails without asking where that may not be paid for. */
export type Pay = (ask: () => Promise<Outcome>) => Promise<Outcome>;

/** What a judge is sent. */
export type RenderedQuestion =
  | { ok: true; instructions: string; prompt: string; delimiter: string }
  | Extract<RenderedPrompt, { ok: false }>;

/** @throws the signal's reason when it is aborted before the prompt's turn. */
export type RenderQuestion = (record: Omit<ScoreToJudge, 'recordId'>) => Promise<RenderedQuestion>;

/**
 * Calls `pay` where a judge has to be asked: not where the answer cache has all votes.
 * @throws the signal's reason when it is aborted before the judge has answered.
 */
export type Judge = (score: ScoreToJudge, pay?: Pay) => Promise<Judgement>;

export type Outcome = Judgement['outcome'];
type Vote = Extract<Reply, { ok: true }>;
type Value = boolean | number;

const reasoningCharactersMax = 10_000;

/**
 * Makes scores of AI metrics: renders the prompt, asks the model for each vote, and makes one value
 * of the votes, or a failure for good.
 */
export function createJudging({
  judges,
  render,
  answerCache,
}: {
  judges: Pick<Judges, 'ask'>;
  render: Render;
  answerCache: AnswerCache;
}): { judge: Judge; renderQuestion: RenderQuestion } {
  /**
   * Once one vote is paid for, asks for all votes even if the signal is aborted: otherwise the paid
   * vote's cost would be in no account.
   */
  async function askAll(questions: VoteQuestion[]): Promise<JudgeReply[]> {
    const asked = await Promise.allSettled(questions.map((question) => judges.ask(question)));
    const stopped = asked.find((vote) => vote.status === 'rejected');
    const isPaid = asked.some(
      (vote) =>
        vote.status === 'fulfilled' &&
        vote.value.usage.inputTokens + vote.value.usage.outputTokens > 0,
    );
    if (stopped && !isPaid) throw stopped.reason;
    return Promise.all(
      asked.map((vote, index) =>
        vote.status === 'fulfilled'
          ? vote.value
          : judges.ask({ ...questions[index]!, signal: undefined }),
      ),
    );
  }

  async function renderQuestion(record: Parameters<RenderQuestion>[0]): Promise<RenderedQuestion> {
    const rendered = await render(record);
    if (!rendered.ok) return rendered;
    const { text: prompt, delimiter } = rendered;
    const { guidelines } = record.metric;
    return {
      ok: true,
      instructions: instructionsOf({ guidelines, delimiter, form: answerFormOf(record.metric) }),
      prompt,
      delimiter,
    };
  }

  async function outcomeOf(score: ScoreToJudge, pay: Pay): Promise<Outcome> {
    const startedAt = performance.now();
    const { metric, signal } = score;
    const { evalModelName: model, temperature, votes, seed } = metric.judge!;
    const rendered = await renderQuestion(score);
    if (!rendered.ok)
      return failureOutcome({ code: rendered.code, message: placed(rendered), attempts: 0 });
    const form = answerFormOf(metric);
    const { instructions, prompt } = rendered;
    const question = {
      model,
      instructions,
      prompt,
      schema: form.schema,
      temperature,
      signal,
    };
    const questions = Array.from({ length: votes }, (_, index) => ({
      ...question,
      seed: seedOf(seed, index),
    }));
    const use = (replies: Reply[]) =>
      outcomeFrom(replies, metric, {
        startedAt,
        promptHash: createHash('sha256').update(instructions).update(prompt).digest('hex'),
      });
    return answerCache.answer(score, questions, { pay, ask: askAll, use });
  }

  return {
    renderQuestion,
    judge: async (score, pay = (ask) => ask()) => ({
      recordId: score.recordId,
      metricVersionId: score.metric.metricVersionId,
      outcome: await outcomeOf(score, pay),
    }),
  };
}

/** Makes one outcome of the replies to all votes. */
function outcomeFrom(
  asked: Reply[],
  metric: MetricVersion,
  { startedAt, promptHash }: { startedAt: number; promptHash: string },
): Outcome {
  const { evalModelName: model, votes } = metric.judge!;
  const form = answerFormOf(metric);
  const attempts = sumOf(asked.map((vote) => vote.attempts));
  const { costUsd, ...tokens } = usedBy(asked);
  const cachedVotes = asked.filter(isFromCache).length;
  const failed = asked.findIndex((vote) => !vote.ok);
  if (failed >= 0) return voteFailure(asked, failed, { attempts, costUsd });

  const given = (asked as Vote[]).map(({ answer, ...vote }) => ({
    ...vote,
    ...valueIn(answer, form),
  }));
  const values = given.map((vote) => vote.value);
  const value = aggregate(form.outputType, values);
  const notes = [...new Set(given.flatMap((vote) => vote.notes))];
  return {
    kind: 'score',
    value,
    reasoning: reasoningFor(value, given).slice(0, reasoningCharactersMax),
    source: 'ai',
    votes: values,
    provenance: {
      metricVersionId: metric.metricVersionId,
      evaluator: 'judge',
      model,
      promptHash,
      temperature: given[0]!.temperature,
      votes,
      ...(notes.length > 0 && { notes }),
      ...tokens,
      ...(costUsd !== undefined && { costUsd }),
      ...(cachedVotes === votes && { cached: true }),
      ...(cachedVotes > 0 && { cachedVotes }),
      durationMs: Math.round((performance.now() - startedAt) * 1000) / 1000,
      attempts,
    },
  };
}

const placed = ({
  message,
  line,
  column,
}: {
  message: string;
  line?: number;
  column?: number;
}): string => (line === undefined ? message : `Line ${line}, column ${column}: ${message}`);

/** Providers take 31 bits. */
const seedOf = (seed: number | null, vote: number): number | null =>
  seed === null ? null : (seed + vote) % 2 ** 31;

/** A score needs all its votes; the first that failed says why there is none. */
function voteFailure(
  asked: Reply[],
  index: number,
  spent: { attempts: number; costUsd: number | undefined },
): Outcome {
  const { code, message } = asked[index] as Extract<JudgeReply, { ok: false }>;
  return failureOutcome({
    code,
    message: asked.length === 1 ? message : `Vote ${index + 1} of ${asked.length}: ${message}`,
    ...spent,
  });
}

/** Answers from the cache cost nothing; their tokens are those of the first time. */
function usedBy(asked: Reply[]): {
  inputTokens: number;
  outputTokens: number;
  costUsd: number | undefined;
} {
  const costs = asked.flatMap(({ usage }) => usage.costUsd ?? []);
  return {
    inputTokens: sumOf(asked.map(({ usage }) => usage.inputTokens)),
    outputTokens: sumOf(asked.map(({ usage }) => usage.outputTokens)),
    costUsd: costs.length === 0 && !asked.every(isFromCache) ? undefined : sumOf(costs),
  };
}

const isFromCache = ({ isCached }: Reply): boolean => isCached === true;

const sumOf = (counts: number[]): number => counts.reduce((total, count) => total + count, 0);

function valueIn(
  answer: unknown,
  { field, toValue }: AnswerForm,
): { value: Value; reasoning: string } {
  const checked = answer as Record<string, unknown> & { reasoning: string };
  return { value: toValue(checked[field]), reasoning: checked.reasoning };
}

/** Returns the reasoning of the first vote that is nearest to the aggregated value. */
function reasoningFor(value: Value, votes: { value: Value; reasoning: string }[]): string {
  const distance = (vote: { value: Value }) => Math.abs(Number(vote.value) - Number(value));
  return votes.reduce((nearest, vote) => (distance(vote) < distance(nearest) ? vote : nearest))
    .reasoning;
}
