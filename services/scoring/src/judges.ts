import { setTimeout as delay } from 'node:timers/promises';
import { modelNameFault } from '@assay/contracts/metrics';
import type { JudgeProvider } from '@assay/contracts/scoring';
import type { Log } from '@assay/runtime/log';
import type { Metrics } from '@assay/runtime/metrics';
import type { JudgeConfig, Price } from './config.ts';
import type { Resolve } from './judges/addresses.ts';
import { createReadAnswer } from './judges/answer.ts';
import { createCall } from './judges/call.ts';
import { createCircuit, type Outage } from './judges/circuit.ts';
import { createJudgeInstruments } from './judges/instruments.ts';
import { createJudgeClient, type JudgeReply, type Question } from './judges/judge-client.ts';
import { createModelQueue } from './judges/model-queue.ts';
import { createPrices, type ModelPrice } from './judges/prices.ts';
import {
  baseUrlOf,
  isAllowed,
  missingOf,
  type ProviderName,
  providerNames,
  providerOf,
} from './judges/providers.ts';
import type { Target } from './judges/retrying-call.ts';
import { createSharedPermits, type ModelPermits } from './judges/shared-permits.ts';

interface Dependencies {
  config: JudgeConfig;
  log: Log;
  /** The unit of all pauses, in milliseconds: of back-offs, and of a circuit that opens. */
  pauseBaseMs?: number;
  random?: () => number;
  /** How names become addresses; by the system when left out. */
  resolve?: Resolve;
  /** What all processes of the service share; without them each has a bound of its own. */
  permits?: ModelPermits;
  /** Without it nothing is measured. */
  metrics?: Metrics;
  /** Hears when a model is left alone and for how long, and when it answers again. */
  outages?: OutageListener;
}

export interface OutageListener {
  began: (model: string, outage: Outage) => void;
  ended: (model: string) => void;
}

/** How much longer than a call its permit is held, where the process dies meanwhile. */
const permitMarginMs = 10_000;
/** Models that are remembered; beyond, those that nobody asks are forgotten. */
const targetsMax = 1000;

export type Judges = ReturnType<typeof createJudges>;

/**
 * The models that judge: asked by name, `<provider>/<model>` or one of OpenAI's. Nothing is loaded
 * or sent before the first ask.
 */
export function createJudges({
  config,
  log,
  pauseBaseMs = 1000,
  random = Math.random,
  resolve,
  permits,
  metrics,
  outages,
}: Dependencies) {
  const prices = createPrices({
    listed: config.MODEL_PRICES && JSON.parse(config.MODEL_PRICES),
    configured: config.JUDGE_PRICES,
  });
  const targets = new Map<string, Target>();
  const instruments =
    metrics && createJudgeInstruments({ metrics, prices, targets: () => targets.values() });
  const stops = new Set<AbortController>();
  const { call, close } = createCall(config, resolve);
  const sleep = (waitMs: number, signal: AbortSignal) => delay(waitMs, undefined, { signal });
  const askJudge = createJudgeClient({
    call: instruments?.measured(call) ?? call,
    readAnswer: createReadAnswer(),
    pauseBaseMs,
    random,
    sleep,
  });
  let number = 0;
  let isClosed = false;

  function targetOf({ provider, model }: { provider: ProviderName; model: string }): Target {
    const key = `${provider}/${model}`;
    const known = targets.get(key);
    if (known) return known;
    if (targets.size >= targetsMax)
      for (const [other, { queue }] of targets) if (queue.isIdle()) targets.delete(other);
    const onOpen = (openMs: number, outage: Outage) => {
      log.warn(
        { model: key, openMs },
        'a judge fails again and again, and is left alone for a while',
      );
      outages?.began(key, outage);
    };
    const circuit = createCircuit({ pauseBaseMs, onOpen, onClose: () => outages?.ended(key) });
    const target: Target = {
      provider,
      model,
      price: prices.of({ provider, model }),
      queue: createModelQueue({
        concurrency: config.JUDGE_CONCURRENCY,
        circuit,
        withSharedPermit:
          permits &&
          createSharedPermits({
            permits,
            model: key,
            count: config.JUDGE_CONCURRENCY,
            holdMs: config.JUDGE_TIMEOUT_MS + permitMarginMs,
            sleep,
            log,
          }),
      }),
      circuit,
      without: new Set(),
    };
    targets.set(key, target);
    return target;
  }

  /** Returns the target of a model, or a sentence that says why the model cannot be asked. */
  function find(model: string): Target | string {
    const fault = modelNameFault(model);
    if (fault) return `The model's name ${model.slice(0, 256)} ${fault}.`;
    const named = providerOf(model);
    if (!named)
      return `The model ${model} belongs to no provider: names begin with ${providerNames.join('/, ')}/, or are OpenAI's.`;
    if (!isAllowed(named, config))
      return `The model ${model} may not be asked here: JUDGE_MODELS allows ${config.JUDGE_MODELS}.`;
    const missing = missingOf(named.provider, config);
    if (missing.length === 0) return targetOf(named);
    return `No provider is configured for the model ${model}: set ${missing.join(', ')} for the scoring service.`;
  }

  return {
    /**
     * Asks a model for one answer that fits the schema. A call under way is finished when the
     * signal is aborted, since it is paid for, and so are its repairs; waiting for the first is
     * not.
     * @throws the signal's reason when it is aborted before there is an answer.
     */
    async ask({
      model,
      signal,
      ...question
    }: Question & { model: string; signal?: AbortSignal | undefined }): Promise<JudgeReply> {
      const target = find(model);
      const usage = { inputTokens: 0, outputTokens: 0, costUsd: undefined };
      if (typeof target === 'string')
        return { ok: false, code: 'no_provider', message: target, usage, attempts: 0 };
      const closing = new AbortController();
      const stop = signal ? AbortSignal.any([signal, closing.signal]) : closing.signal;
      if (isClosed) closing.abort();
      stops.add(closing);
      try {
        return await askJudge(target, question, {
          number: number++,
          signal: stop,
          closing: closing.signal,
        });
      } catch (error) {
        throw stop.aborted ? stop.reason : error;
      } finally {
        stops.delete(closing);
      }
    },

    /**
     * Handles a retry that was requested at this time: a model whose circuit is open is asked at
     * once.
     */
    retry(model: string, at: Date): void {
      const target = find(model);
      if (typeof target === 'string') return;
      target.circuit.retry(at);
      target.queue.begin();
    },

    /**
     * Returns the provider's base URL, the provider and the model where a model may be asked; else
     * undefined. The same name may mean another model at another address.
     */
    addressOf(model: string): string | undefined {
      const target = find(model);
      if (typeof target === 'string') return undefined;
      return `${baseUrlOf(target.provider, config)} ${target.provider}/${target.model}`;
    },

    /**
     * Describes a model by its name: whether it may be asked, its provider, and its price where it
     * is known.
     */
    describe(model: string) {
      const named = modelNameFault(model) ? undefined : providerOf(model);
      const price = named && prices.of(named);
      return {
        isAllowed: named === undefined || isAllowed(named, config),
        allowedModels: config.JUDGE_MODELS ?? null,
        provider: named?.provider ?? null,
        isConfigured: named !== undefined && missingOf(named.provider, config).length === 0,
        hasPrice: price !== undefined,
        price: price ?? null,
        providers: [...providerNames] as string[],
      };
    },

    /** Returns the one name of a model, `<provider>/<model>`; undefined where it can have none. */
    nameOf(model: string): string | undefined {
      const named = modelNameFault(model) ? undefined : providerOf(model);
      return named && `${named.provider}/${named.model}`;
    },

    /** The price of a model that a span names; null where it is not known. */
    priceOfSpan: (named: { provider: string | null; model: string }): ModelPrice | null =>
      prices.ofSpan(named) ?? null,

    /** The price of a model by its name; undefined where it is not known. */
    priceOf(model: string): Price | undefined {
      const named = modelNameFault(model) ? undefined : providerOf(model);
      return named && prices.of(named);
    },

    /** The providers, with the models whose prices are known. */
    catalogue: (): JudgeProvider[] =>
      providerNames.map((provider) => ({
        provider,
        isConfigured: missingOf(provider, config).length === 0,
        models: prices
          .models(provider)
          .filter(({ model }) => isAllowed(providerOf(model)!, config)),
      })),

    /** Ends all asks, calls under way too. */
    close(): void {
      isClosed = true;
      for (const stop of stops) stop.abort();
      close();
    },
  };
}
