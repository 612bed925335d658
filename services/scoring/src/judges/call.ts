import type {
  JSONSchema7,
  LanguageModelV3,
  LanguageModelV3CallOptions,
  LanguageModelV3GenerateResult,
  LanguageModelV3Prompt,
} from '@ai-sdk/provider';
import type { AnySchemaObject } from 'ajv';
import type { JudgeConfig } from '../config.ts';
import { createLookup, type Resolve } from './addresses.ts';
import { createReadFault, type Fault, type Parameter } from './fault.ts';
import { createGuardedFetch } from './guarded-fetch.ts';
import {
  baseUrlsOf,
  hostsOf,
  type ProviderName,
  privateHostsOf,
  providers,
  secretsOf,
} from './providers.ts';

export interface Request {
  provider: ProviderName;
  model: string;
  messages: LanguageModelV3Prompt;
  schema: AnySchemaObject;
  temperature: number | null;
  seed: number | null;
  /** The parameters that the model is known not to support. */
  without: ReadonlySet<Parameter>;
}

export type CallResult = { kind: 'answer'; result: LanguageModelV3GenerateResult } | Fault;

type LoadedModels = Promise<(model: string) => LanguageModelV3>;

/** Asks providers, each through its library, one try a call. */
export function createCall(config: JudgeConfig, resolve?: Resolve) {
  const loaded = new Map<ProviderName, LoadedModels>();
  const underWay = new Set<AbortController>();
  let isClosed = false;
  const guarded = createGuardedFetch({
    hosts: hostsOf(config),
    baseUrls: baseUrlsOf(config),
    lookup: createLookup({ privateHosts: privateHostsOf(config), resolve }),
    proxies: config,
  });
  const readFault = createReadFault(secretsOf(config));

  function modelsOf(provider: ProviderName): LoadedModels {
    const models =
      loaded.get(provider) ?? providers[provider].load({ config, fetch: guarded.fetch });
    loaded.set(provider, models);
    return models;
  }

  async function call(request: Request): Promise<CallResult> {
    const { provider, model } = request;
    const models = await modelsOf(provider);
    const controller = new AbortController();
    let isLate = false;
    const timer = setTimeout(() => {
      isLate = true;
      controller.abort();
    }, config.JUDGE_TIMEOUT_MS);
    underWay.add(controller);
    try {
      const { sent, options } = optionsOf(request);
      try {
        return {
          kind: 'answer',
          result: await models(model).doGenerate({ ...options, abortSignal: controller.signal }),
        };
      } catch (error) {
        // Cut off by us: that says nothing of the provider.
        if (isClosed) throw error;
        if (isLate)
          return {
            kind: 'timeout',
            message: `${provider} did not answer within ${config.JUDGE_TIMEOUT_MS} ms.`,
          };
        return readFault(error, { provider, sent });
      }
    } finally {
      clearTimeout(timer);
      underWay.delete(controller);
    }
  }

  return {
    call,
    /** Ends the calls under way. */
    close(): void {
      isClosed = true;
      for (const controller of underWay) controller.abort();
      void guarded.close();
    },
  };
}

function optionsOf({ messages, schema, temperature, seed, without }: Request): {
  sent: Parameter[];
  options: LanguageModelV3CallOptions;
} {
  const optional: Record<Parameter, Partial<LanguageModelV3CallOptions> | undefined> = {
    temperature: temperature === null ? undefined : { temperature },
    seed: seed === null ? undefined : { seed },
    schema: { responseFormat: { type: 'json', name: 'judgement', schema: withoutBounds(schema) } },
    system: { prompt: messages },
  };
  const sent = (Object.keys(optional) as Parameter[]).filter(
    (name) => optional[name] && !without.has(name),
  );
  return {
    sent,
    options: Object.assign(
      { prompt: inUserMessage(messages) },
      ...sent.map((name) => optional[name]),
    ),
  };
}

/** The messages without a system message: its text begins the first message of the user. */
function inUserMessage(messages: LanguageModelV3Prompt): LanguageModelV3Prompt {
  const [system, first, ...others] = messages;
  if (system?.role !== 'system' || first?.role !== 'user') return messages;
  const instructions = { type: 'text' as const, text: `${system.content}\n\n` };
  return [{ ...first, content: joined([instructions, ...first.content]) }, ...others];
}

/** One text: the libraries do not separate several. */
const joined = (parts: { type: string; text?: string }[]): [{ type: 'text'; text: string }] => [
  { type: 'text', text: parts.map(({ text = '' }) => text).join('') },
];

/**
 * Not every provider that takes a schema takes bounds of numbers in it. They are in the
 * descriptions, and checked here.
 */
function withoutBounds(schema: AnySchemaObject): JSONSchema7 {
  const properties = Object.entries(schema.properties as Record<string, JSONSchema7>).map(
    ([name, { minimum, maximum, ...property }]) => [name, property],
  );
  return { ...schema, properties: Object.fromEntries(properties) };
}
