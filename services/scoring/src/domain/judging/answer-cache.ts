import { createHash } from 'node:crypto';
import type { JudgeReply, Question } from '../../judges/judge-client.ts';
import type { AnswerStore, StoredAnswer } from '../../store/answers.ts';

/** One vote's question to a model. */
export type VoteQuestion = Question & { model: string; signal?: AbortSignal | undefined };

/** A reply that the judge gave now, or that the cache has. */
export type Reply = JudgeReply & { isCached?: true };

/** Whose questions these are. */
export interface QuestionOwner {
  organizationId: string;
  /** The project that the answers are kept for; undefined where the cache is bypassed. */
  cacheProjectId?: string | undefined;
  signal?: AbortSignal | undefined;
}

interface Dependencies {
  store: Pick<AnswerStore, 'find' | 'keep'>;
  /** Undefined where the model may not be asked. */
  addressOf: (model: string) => string | undefined;
  /** For how many days answers are used again; 0 for never. */
  days: number;
  onCachedAnswers: (count: number) => void;
  /** Called once for each time that the database goes away. */
  onAway: (error: unknown) => void;
  now: () => Date;
}

/** The use of the replies to a record's questions. */
interface Use<Result> {
  /** Called where a judge has to be asked; `replies` asks. May decide not to. */
  pay: (replies: () => Promise<Result>) => Promise<Result>;
  ask: (questions: VoteQuestion[]) => Promise<JudgeReply[]>;
  use: (replies: Reply[]) => Result;
}

export type AnswerCache = ReturnType<typeof createAnswerCache>;

const dayMs = 24 * 60 * 60 * 1000;
/** A larger answer is asked for again. */
const answerBytesMax = 64 * 1024;

/**
 * Keeps the answers of judges at temperature 0, by organization and everything that was sent, and asks
 * a question once for all who ask it at the same time in this process. Where the database cannot be
 * reached, the judge is asked.
 */
export function createAnswerCache({
  store,
  addressOf,
  days,
  onCachedAnswers,
  onAway,
  now,
}: Dependencies) {
  /** The replies to come, or undefined where they cannot be shared. */
  const underWay = new Map<string, Promise<JudgeReply[] | undefined>>();
  let isAway = false;

  /** Returns `otherwise` where the database is away, which is told once. */
  async function unlessAway<Result>(
    { signal }: QuestionOwner,
    work: () => Promise<Result>,
    otherwise: Result,
  ): Promise<Result> {
    try {
      const result = await work();
      isAway = false;
      return result;
    } catch (error) {
      if (signal?.aborted) return otherwise;
      if (!isAway) onAway(error);
      isAway = true;
      return otherwise;
    }
  }

  /** Returns one key for each question, or undefined where answers must not be used again. */
  function keysOf(
    { cacheProjectId }: QuestionOwner,
    questions: VoteQuestion[],
  ): string[] | undefined {
    if (days === 0 || cacheProjectId === undefined) return undefined;
    if (questions.some(({ temperature }) => temperature !== 0)) return undefined;
    const address = addressOf(questions[0]!.model);
    return address === undefined
      ? undefined
      : questions.map((question, vote) => keyOf(address, question, vote));
  }

  function find(owner: QuestionOwner, keys: string[]): Promise<(Reply | undefined)[]> {
    const since = new Date(now().getTime() - days * dayMs);
    const look = async () => {
      const found = await store.find(owner.organizationId, keys, since);
      const replies = new Map(found.map((answer) => [answer.key, replyOf(answer)]));
      return keys.map((key) => replies.get(key));
    };
    const nothing = keys.map(() => undefined);
    return unlessAway<(Reply | undefined)[]>(owner, look, nothing);
  }

  async function keep(
    owner: QuestionOwner,
    keys: string[],
    { questions, replies }: { questions: VoteQuestion[]; replies: Reply[] },
  ): Promise<void> {
    const answers = replies.flatMap((reply, vote): StoredAnswer[] => {
      const answer = answerIn(reply);
      if (!reply.ok || reply.isCached || answer === undefined) return [];
      const { inputTokens, outputTokens } = reply.usage;
      const { model } = questions[vote]!;
      return [{ key: keys[vote]!, answer, model, notes: reply.notes, inputTokens, outputTokens }];
    });
    const keptAt = now();
    const expiresAt = new Date(keptAt.getTime() + days * dayMs);
    const terms = { projectId: owner.cacheProjectId!, keptAt, expiresAt };
    await unlessAway(owner, () => store.keep(owner.organizationId, answers, terms), undefined);
  }

  /** Asks for the answers that the cache does not have, and keeps them. */
  async function complete(
    owner: QuestionOwner,
    { keys, questions }: { keys: string[]; questions: VoteQuestion[] },
    { found, ask }: { found: (Reply | undefined)[]; ask: Use<unknown>['ask'] },
  ): Promise<Reply[]> {
    const asked = await ask(questions.filter((_, vote) => !found[vote]));
    const left = asked.values();
    const replies = found.map((reply) => reply ?? left.next().value!);
    await keep(owner, keys, { questions, replies });
    return replies;
  }

  function told<Result>(use: (replies: Reply[]) => Result): (replies: Reply[]) => Result {
    return (replies) => {
      const count = replies.filter(({ isCached }) => isCached).length;
      if (count > 0) onCachedAnswers(count);
      return use(replies);
    };
  }

  return {
    /**
     * Uses the replies to a record's questions: those of the cache, and for the others those of the
     * judge. Questions that are being asked already are waited for, and asked again only if no
     * answers come that can be shared.
     * @throws the owner's signal's reason when it is aborted meanwhile.
     */
    async answer<Result>(
      owner: QuestionOwner,
      questions: VoteQuestion[],
      { pay, ask, use }: Use<Result>,
    ): Promise<Result> {
      const keys = keysOf(owner, questions);
      if (!keys) return pay(async () => use(await ask(questions)));
      const tell = told(use);
      const flight = `${owner.organizationId}/${keys.join()}`;
      const other = underWay.get(flight);
      if (other) {
        const shared = await unlessAborted(other, owner.signal);
        if (shared) return tell(shared.map(asCached));
      }
      let share: (replies: JudgeReply[] | undefined) => void = () => undefined;
      if (!other)
        underWay.set(
          flight,
          new Promise((resolve) => {
            share = resolve;
          }),
        );
      try {
        const found = await find(owner, keys);
        const settle = (replies: Reply[]): Result => {
          share(replies.every((reply) => answerIn(reply) !== undefined) ? replies : undefined);
          return tell(replies);
        };
        if (found.every((reply) => reply !== undefined)) return settle(found);
        return await pay(async () =>
          settle(await complete(owner, { keys, questions }, { found, ask })),
        );
      } finally {
        share(undefined);
        if (!other) underWay.delete(flight);
      }
    },
  };
}

/**
 * The hash of everything that reaches the provider, and of the number of the vote: without a seed
 * all votes ask the same, and each has to be asked.
 */
const keyOf = (
  address: string,
  { instructions, prompt, schema, temperature, seed }: VoteQuestion,
  vote: number,
): string =>
  createHash('sha256')
    .update(JSON.stringify([address, instructions, prompt, schema, temperature, seed, vote]))
    .digest('hex');

/**
 * Returns the answer in a reply as JSON text if it may be used again. A model that does not take the
 * temperature was asked at another.
 */
function answerIn(reply: JudgeReply): string | undefined {
  if (!reply.ok || reply.temperature !== 0) return undefined;
  const text = JSON.stringify(reply.answer);
  return Buffer.byteLength(text) <= answerBytesMax ? text : undefined;
}

const replyOf = ({ answer, notes, inputTokens, outputTokens }: StoredAnswer): Reply => ({
  ok: true,
  answer: JSON.parse(answer),
  temperature: 0,
  usage: { inputTokens, outputTokens, costUsd: undefined },
  attempts: 0,
  notes,
  isCached: true,
});

const asCached = (reply: JudgeReply): Reply => ({
  ...reply,
  usage: { ...reply.usage, costUsd: undefined },
  attempts: 0,
  isCached: true,
});

function unlessAborted<Result>(work: Promise<Result>, signal?: AbortSignal): Promise<Result> {
  if (!signal) return work;
  return new Promise((resolve, reject) => {
    const leave = () => reject(signal.reason);
    if (signal.aborted) leave();
    signal.addEventListener('abort', leave, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', leave));
  });
}
