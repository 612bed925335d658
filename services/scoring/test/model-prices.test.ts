import { describe, expect, test } from 'vitest';
import { createPrices } from '../src/judges/prices.ts';

const prices = createPrices();
const inputOf = (provider: string | null, model: string) =>
  prices.ofSpan({ provider, model })?.inputUsdPerMillion;

describe('the price of a model that a span names', () => {
  test.each<[string | null, string, number]>([
    ['OpenAI', 'gpt-4o-2024-08-06', 2.5],
    ['azure.ai.openai', 'gpt-4o', 2.5],
    ['azure', 'GPT-4o', 2.5],
    ['Anthropic', 'claude-sonnet-4-5-20250929', 3],
    ['aws.bedrock', 'anthropic.claude-sonnet-4-5-20250929-v1:0', 3],
    ['AWS', 'us.anthropic.claude-sonnet-4-5-20250929-v1:0', 3],
    ['amazon-bedrock', 'amazon.nova-lite-v1:0', 0.06],
    ['gcp.vertex_ai', 'gemini-2.5-flash', 0.3],
    ['vertex_ai', 'gemini-2.5-flash', 0.3],
    ['google-gla', 'models/gemini-2.5-flash', 0.3],
    ['openai', 'openai/gpt-4o', 2.5],
    [null, 'openai/gpt-4o', 2.5],
    [null, 'gpt-4o', 2.5],
    ['openai', 'text-embedding-3-small', 0.02],
  ])('is found by the names of its client: %s, %s', (provider, model, input) => {
    expect(inputOf(provider, model)).toBe(input);
  });

  test('is not taken from another maker’s list', () => {
    expect(inputOf('groq', 'gpt-4o')).toBeUndefined();
    expect(inputOf('groq', 'openai/gpt-4o')).toBeUndefined();
    expect(inputOf('anthropic', 'gpt-4o')).toBeUndefined();
    expect(inputOf(null, 'gpt-4o-of-mine')).toBeUndefined();
  });

  test('is not guessed where two makers have the name', () => {
    const own = { inputUsdPerMillion: 1, outputUsdPerMillion: 1 };
    const both = createPrices({ configured: JSON.stringify({ 'compatible/gpt-4o': own }) });
    expect(both.ofSpan({ provider: null, model: 'gpt-4o' })).toBeUndefined();
    expect(both.ofSpan({ provider: 'openai', model: 'gpt-4o' })).toBeDefined();
  });

  test('has what is read from a cache and written to one', () => {
    expect(prices.ofSpan({ provider: 'anthropic', model: 'claude-sonnet-4-5' })).toMatchObject({
      inputUsdPerMillion: 3,
      outputUsdPerMillion: 15,
      cacheReadUsdPerMillion: 0.3,
      cacheWriteUsdPerMillion: 3.75,
    });
  });
});

describe('the list of prices', () => {
  const own = { inputUsdPerMillion: 7, outputUsdPerMillion: 9 };

  test('gives way to another list as a whole', () => {
    const replaced = createPrices({ listed: { 'openai/gpt-4o': own } });
    expect(replaced.ofSpan({ provider: 'openai', model: 'gpt-4o' })).toMatchObject({
      ...own,
      cacheReadUsdPerMillion: 7,
      cacheWriteUsdPerMillion: 7,
    });
    expect(replaced.ofSpan({ provider: 'openai', model: 'gpt-5' })).toBeUndefined();
  });

  test('offers no embedding as a judge', () => {
    const models = prices.models('openai').map(({ model }) => model);
    expect(models).toContain('gpt-4o');
    expect(models).not.toContain('text-embedding-3-small');
  });
});
