import type { LanguageModelV3GenerateResult } from '@ai-sdk/provider';
import type { ScoreFailureCode } from '@assay/contracts/run-records';
import type { Price } from '../config.ts';
import type { Called, Request } from './call.ts';
import type { Admission, Circuit } from './circuit.ts';
import type { Parameter } from './fault.ts';
import type { Lane } from './lane.ts';
import type { ProviderName } from './providers.ts';

/** A model as it is asked: whose it is, its turns, how its provider is, and what it was found not to take. */
export interface Target {
  provider: ProviderName;
  model: string;
  price: Price | undefined;
  lane: Lane;
  circuit: Circuit;
  without: Set<Parameter>;
}

/** Asks with a lower number come before later ones. Waiting ends when the signal is aborted. */
export interface Asker {
  number: number;
  signal: AbortSignal;
}

export type Tried = { result: LanguageModelV3GenerateResult } | { code: ScoreFailureCode; message: string };

const limitedTriesMax = 8;
const failedTriesMax = 5;
/** In pause bases. */
const backOffMax = 30;

export interface Parts {
  call: (request: Request) => Promise<Called>;
  /** The unit of back-offs. */
  pauseBaseMs: number;
  random: () => number;
  /** @throws when the signal is aborted. */
  sleep: (waitMs: number, signal: AbortSignal) => Promise<void>;
}

/** Calls a model until there is an answer, or no sense in going on. `onCall` hears of every call. Waiting is no try. */
export function createTries({ call, pauseBaseMs, random, sleep }: Parts) {
  /** Exponential, with full jitter: those that failed together do not come back together. */
  const backOffMs = (tries: number): number => Math.min(backOffMax, 2 ** (tries - 1)) * pauseBaseMs * random();

  /** A limit holds the lane up before another call of it can begin. */
  async function tryOnce(target: Target, request: Request, admission: Admission, limitedTries: number): Promise<Called> {
    const called = await call(request);
    if (called.kind === 'failed' || called.kind === 'timeout') target.circuit.failed(admission);
    else target.circuit.succeeded();
    if (called.kind === 'limited') target.lane.pause(called.retryAfterMs ?? backOffMs(limitedTries + 1));
    return called;
  }

  return async (target: Target, request: Request, { number, signal, onCall }: Asker & { onCall: () => void }): Promise<Tried> => {
    let limitedTries = 0;
    let failedTries = 0;
    for (;;) {
      const called = await target.lane.inTurn({
        number,
        signal,
        call: (admission) => {
          onCall();
          return tryOnce(target, request, admission, limitedTries);
        },
      });
      const { kind } = called;
      if (kind === 'answer' || kind === 'final') return called;
      if (kind === 'limited' && ++limitedTries === limitedTriesMax) return { code: 'rate_limited', message: called.message };
      if (kind === 'unsupported') target.without.add(called.parameter);
      if (kind === 'limited' || kind === 'unsupported') continue;
      if (++failedTries === failedTriesMax) return { code: kind === 'timeout' ? 'timeout' : 'provider_error', message: called.message };
      const retryAfterMs = kind === 'failed' ? called.retryAfterMs : undefined;
      await sleep(Math.max(retryAfterMs ?? 0, backOffMs(failedTries)), signal);
    }
  };
}
