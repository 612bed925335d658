import type { ProviderName } from './providers.ts';

/**
 * The price of a model in US dollars for a million tokens: of the prompt, of the answer, of the part of a prompt that
 * was read from a cache, and of the part that was written to one. One without an answer is an embedding. Where
 * writing is left out, it costs as much as the prompt.
 */
export type ListPrice = readonly [
  input: number,
  output?: number,
  cacheRead?: number,
  cacheWrite?: number,
];

/**
 * List prices of November 2026: the providers' standard tier, prompts of usual length. Their sources are the pages of
 * prices of openai.com, anthropic.com, ai.google.dev and aws.amazon.com/bedrock. What is read from a cache
 * costs a tenth of the prompt but where a maker says otherwise (OpenAI before GPT-5: a quarter or a half), and what
 * Anthropic writes to one for five minutes a quarter more. A model that is not listed has no price.
 */
export const listPrices: Record<Exclude<ProviderName, 'compatible'>, Record<string, ListPrice>> = {
  openai: {
    'gpt-6-astra': [10, 50, 1],
    'gpt-6-sol': [2, 10, 0.2],
    'gpt-6-luna': [0.1, 0.5, 0.01],
    'gpt-5.6-sol': [4, 20, 0.4],
    'gpt-5.6-terra': [2, 12, 0.2],
    'gpt-5.6-luna': [0.2, 1.2, 0.02],
    'gpt-5.5': [5, 30, 0.5],
    'gpt-5.4': [2.5, 15, 0.25],
    'gpt-5.4-mini': [0.75, 4.5, 0.075],
    'gpt-5.4-nano': [0.2, 1.25, 0.02],
    'gpt-5.2': [1.75, 14, 0.175],
    'gpt-5.1': [1.25, 10, 0.125],
    'gpt-5': [1.25, 10, 0.125],
    'gpt-5-mini': [0.25, 2, 0.025],
    'gpt-5-nano': [0.05, 0.4, 0.005],
    'gpt-4.1': [2, 8, 0.5],
    'gpt-4.1-mini': [0.4, 1.6, 0.1],
    'gpt-4.1-nano': [0.1, 0.4, 0.025],
    'gpt-4o': [2.5, 10, 1.25],
    'gpt-4o-mini': [0.15, 0.6, 0.075],
    'gpt-4-turbo': [10, 30, 10],
    'gpt-3.5-turbo': [0.5, 1.5, 0.5],
    o1: [15, 60, 7.5],
    o3: [2, 8, 0.5],
    'o3-mini': [1.1, 4.4, 0.55],
    'o4-mini': [1.1, 4.4, 0.275],
    'text-embedding-3-small': [0.02],
    'text-embedding-3-large': [0.13],
    'text-embedding-ada-002': [0.1],
  },
  anthropic: {
    'claude-fable-5-1': [10, 50, 1, 12.5],
    'claude-opus-5-5': [4, 20, 0.4, 5],
    'claude-opus-5': [5, 25, 0.5, 6.25],
    'claude-opus-4-8': [5, 25, 0.5, 6.25],
    'claude-opus-4-7': [5, 25, 0.5, 6.25],
    'claude-opus-4-6': [5, 25, 0.5, 6.25],
    'claude-opus-4-5': [5, 25, 0.5, 6.25],
    'claude-opus-4-1': [15, 75, 1.5, 18.75],
    'claude-opus-4': [15, 75, 1.5, 18.75],
    'claude-sonnet-5-5': [2, 10, 0.2, 2.5],
    'claude-sonnet-5': [2, 10, 0.2, 2.5],
    'claude-sonnet-4-6': [3, 15, 0.3, 3.75],
    'claude-sonnet-4-5': [3, 15, 0.3, 3.75],
    'claude-sonnet-4': [3, 15, 0.3, 3.75],
    'claude-haiku-4-5': [1, 5, 0.1, 1.25],
    'claude-3-7-sonnet': [3, 15, 0.3, 3.75],
    'claude-3-5-sonnet': [3, 15, 0.3, 3.75],
    'claude-3-5-haiku': [0.8, 4, 0.08, 1],
    'claude-3-haiku': [0.25, 1.25, 0.025, 0.3125],
  },
  google: {
    'gemini-3.8-flash': [0.75, 3.75, 0.075],
    'gemini-3.5-flash': [1.5, 9, 0.15],
    'gemini-3.5-flash-lite': [0.3, 2.5, 0.03],
    'gemini-3.1-pro': [2, 12, 0.2],
    'gemini-3.1-flash-lite': [0.25, 1.5, 0.025],
    'gemini-3-flash': [0.5, 3, 0.05],
    'gemini-2.5-pro': [1.25, 10, 0.125],
    'gemini-2.5-flash': [0.3, 2.5, 0.03],
    'gemini-2.5-flash-lite': [0.1, 0.4, 0.01],
    'gemini-embedding-001': [0.15],
  },
  bedrock: {
    'anthropic.claude-opus-4-5': [5, 25, 0.5, 6.25],
    'anthropic.claude-opus-4-1': [15, 75, 1.5, 18.75],
    'anthropic.claude-sonnet-4-5': [3, 15, 0.3, 3.75],
    'anthropic.claude-sonnet-4': [3, 15, 0.3, 3.75],
    'anthropic.claude-haiku-4-5': [1, 5, 0.1, 1.25],
    'anthropic.claude-3-5-haiku': [0.8, 4, 0.08, 1],
    'anthropic.claude-3-haiku': [0.25, 1.25, 0.025, 0.3125],
    'amazon.nova-pro': [0.8, 3.2, 0.2],
    'amazon.nova-lite': [0.06, 0.24, 0.015],
    'amazon.nova-micro': [0.035, 0.14, 0.00875],
    'meta.llama3-3-70b-instruct': [0.72, 0.72, 0.72],
    'amazon.titan-embed-text-v2': [0.02],
  },
};
