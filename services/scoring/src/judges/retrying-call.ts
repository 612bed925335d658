import type { LanguageModelV3GenerateResult } from '@ai-sdk/provider';
import type { ScoreFailureCode } from '@assay/contracts/run-records';
import type { Price } from '../config.ts';
import type { CallResult, Request } from './call.ts';
import type { Admission, Circuit } from './circuit.ts';
import type { Parameter } from './fault.ts';
import type { ModelQueue } from './model-queue.ts';
import type { ProviderName } from './providers.ts';

/** A model with its queue, its circuit, and the parameters that it was found not to support. */
export interface Target {
  provider: ProviderName;
  model: string;
  price: Price | undefined;
  queue: ModelQueue;
  circuit: Circuit;
  without: Set<Parameter>;
}

/** Calls with a lower number go first. Waiting ends when the signal is aborted. */
export interface CallOptions {
  number: number;
  signal: AbortSignal;
}

export type RetryResult =
  | { result: LanguageModelV3GenerateResult }
  | { code: ScoreFailureCode; message: string };

const limitedTriesMax = 8;
const failedTriesMax = 5;
/** In pause bases. */
const backOffMax = 30;

export interface Dependencies {
  call: (request: Request) => Promise<CallResult>;
  /** The unit of back-offs. */
  pauseBaseMs: number;
  random: () => number;
  /** @throws when the signal is aborted. */
  sleep: (waitMs: number, signal: AbortSignal) => Promise<void>;
}

/**
 * Calls a model until it answers or retrying is pointless. `onCall` is called for every call.
 * Waiting for the queue does not count as a try.
 */
export function createRetryingCall({ call, pauseBaseMs, random, sleep }: Dependencies) {
  /** Exponential, with full jitter: those that failed together do not come back together. */
  const backOffMs = (tries: number): number =>
    Math.min(backOffMax, 2 ** (tries - 1)) * pauseBaseMs * random();

  /** A rate limit pauses the queue before its next call can begin. */
  async function tryOnce(
    target: Target,
    request: Request,
    admission: Admission,
    limitedTries: number,
  ): Promise<CallResult> {
    const result = await call(request);
    if (result.kind === 'failed')
      target.circuit.failed(admission, { code: 'provider_error', message: result.summary });
    else if (result.kind === 'timeout')
      target.circuit.failed(admission, { code: 'timeout', message: result.message });
    else target.circuit.succeeded();
    if (result.kind === 'limited')
      target.queue.pause(result.retryAfterMs ?? backOffMs(limitedTries + 1));
    return result;
  }

  return async (
    target: Target,
    request: Request,
    { number, signal, onCall }: CallOptions & { onCall: () => void },
  ): Promise<RetryResult> => {
    let limitedTries = 0;
    let failedTries = 0;
    for (;;) {
      const result = await target.queue.run({
        number,
        signal,
        call: (admission) => {
          onCall();
          return tryOnce(target, request, admission, limitedTries);
        },
      });
      const { kind } = result;
      if (kind === 'answer' || kind === 'final') return result;
      if (kind === 'limited' && ++limitedTries === limitedTriesMax)
        return { code: 'rate_limited', message: result.message };
      if (kind === 'unsupported') target.without.add(result.parameter);
      if (kind === 'limited' || kind === 'unsupported') continue;
      if (++failedTries === failedTriesMax)
        return { code: kind === 'timeout' ? 'timeout' : 'provider_error', message: result.message };
      const retryAfterMs = kind === 'failed' ? result.retryAfterMs : undefined;
      await sleep(Math.max(retryAfterMs ?? 0, backOffMs(failedTries)), signal);
    }
  };
}
