import type { JudgeProvider } from '@assay/contracts/scoring';
import type { Price } from '../config.ts';
import { type ProviderName, providerOf } from './providers.ts';

/**
 * List prices of November 2026 in US dollars for a million tokens, input and output: the providers'
 * standard tier, prompts of usual length, nothing cached. A model that is not listed has no price,
 * unless JUDGE_PRICES gives it one.
 */
const listPrices: Record<
  Exclude<ProviderName, 'compatible'>,
  Record<string, [input: number, output: number]>
> = {
  openai: {
    'gpt-6-astra': [10, 50],
    'gpt-6-sol': [2, 10],
    'gpt-6-luna': [0.1, 0.5],
    'gpt-5.6-sol': [4, 20],
    'gpt-5.6-terra': [2, 12],
    'gpt-5.6-luna': [0.2, 1.2],
    'gpt-5.5': [5, 30],
    'gpt-5.4': [2.5, 15],
    'gpt-5.4-mini': [0.75, 4.5],
    'gpt-5.4-nano': [0.2, 1.25],
    'gpt-5.2': [1.75, 14],
    'gpt-5.1': [1.25, 10],
    'gpt-5': [1.25, 10],
    'gpt-5-mini': [0.25, 2],
    'gpt-5-nano': [0.05, 0.4],
    'gpt-4.1': [2, 8],
    'gpt-4.1-mini': [0.4, 1.6],
    'gpt-4.1-nano': [0.1, 0.4],
    'gpt-4o': [2.5, 10],
    'gpt-4o-mini': [0.15, 0.6],
    'gpt-4-turbo': [10, 30],
    'gpt-3.5-turbo': [0.5, 1.5],
    o1: [15, 60],
    o3: [2, 8],
    'o3-mini': [1.1, 4.4],
    'o4-mini': [1.1, 4.4],
  },
  anthropic: {
    'claude-fable-5-1': [10, 50],
    'claude-opus-5-5': [4, 20],
    'claude-opus-5': [5, 25],
    'claude-opus-4-8': [5, 25],
    'claude-opus-4-7': [5, 25],
    'claude-opus-4-6': [5, 25],
    'claude-opus-4-5': [5, 25],
    'claude-opus-4-1': [15, 75],
    'claude-opus-4': [15, 75],
    'claude-sonnet-5-5': [2, 10],
    'claude-sonnet-5': [2, 10],
    'claude-sonnet-4-6': [3, 15],
    'claude-sonnet-4-5': [3, 15],
    'claude-sonnet-4': [3, 15],
    'claude-haiku-4-5': [1, 5],
    'claude-3-7-sonnet': [3, 15],
    'claude-3-5-sonnet': [3, 15],
    'claude-3-5-haiku': [0.8, 4],
    'claude-3-haiku': [0.25, 1.25],
  },
  google: {
    'gemini-3.8-flash': [0.75, 3.75],
    'gemini-3.5-flash': [1.5, 9],
    'gemini-3.5-flash-lite': [0.3, 2.5],
    'gemini-3.1-pro': [2, 12],
    'gemini-3.1-flash-lite': [0.25, 1.5],
    'gemini-3-flash': [0.5, 3],
    'gemini-2.5-pro': [1.25, 10],
    'gemini-2.5-flash': [0.3, 2.5],
    'gemini-2.5-flash-lite': [0.1, 0.4],
  },
  bedrock: {
    'anthropic.claude-opus-4-5': [5, 25],
    'anthropic.claude-opus-4-1': [15, 75],
    'anthropic.claude-sonnet-4-5': [3, 15],
    'anthropic.claude-sonnet-4': [3, 15],
    'anthropic.claude-haiku-4-5': [1, 5],
    'anthropic.claude-3-5-haiku': [0.8, 4],
    'anthropic.claude-3-haiku': [0.25, 1.25],
    'amazon.nova-pro': [0.8, 3.2],
    'amazon.nova-lite': [0.06, 0.24],
    'amazon.nova-micro': [0.035, 0.14],
    'meta.llama3-3-70b-instruct': [0.72, 0.72],
  },
};

/**
 * Matches suffixes of a model's name that do not name another model: a date or a revision,
 * `-latest`, `-preview`, Bedrock's `-v1:0`.
 */
const revision =
  /^(-preview|-exp)?(-latest|-\d{8}|-\d{4}-\d{2}-\d{2}|-\d{2}-\d{4}|-\d{2}-\d{2}|-\d{3,4})?(-v\d+(:\d+)*)?$/;

/** Bedrock's profiles for a region, or for all. */
const regionPrefix = /^bedrock\/(us|us-gov|eu|apac|jp|au|ca|global)\./;

/**
 * The prices of models: the list's, and over them those of JUDGE_PRICES, which was checked when it
 * was read.
 */
export function createPrices(configured = '{}') {
  const known = new Map<string, Price>();
  for (const [provider, models] of Object.entries(listPrices)) {
    for (const [model, [inputUsdPerMillion, outputUsdPerMillion]] of Object.entries(models))
      known.set(`${provider}/${model}`, { inputUsdPerMillion, outputUsdPerMillion });
  }
  for (const [name, price] of Object.entries(JSON.parse(configured) as Record<string, Price>)) {
    const target = providerOf(name);
    if (target) known.set(`${target.provider}/${target.model}`, price);
  }

  return {
    /** The price of a model: of its own name, or of the longest name that it is a revision of. */
    of({ provider, model }: { provider: ProviderName; model: string }): Price | undefined {
      const name = `${provider}/${model}`;
      return (
        known.get(name) ??
        ofRevision(
          known,
          name.replace(regionPrefix, 'bedrock/').replace(/^google\/models\//, 'google/'),
        )
      );
    },

    models: (provider: ProviderName): JudgeProvider['models'] =>
      [...known].flatMap(([name, price]) => {
        const target = providerOf(name)!;
        return target.provider === provider
          ? [{ model: provider === 'openai' ? target.model : name, ...price }]
          : [];
      }),
  };
}

function ofRevision(known: Map<string, Price>, name: string): Price | undefined {
  for (let end = name.length; end > 0; end--) {
    const price = revision.test(name.slice(end)) && known.get(name.slice(0, end));
    if (price) return price;
  }
  return undefined;
}
