import { serviceIdentity } from '@assay/runtime/signature';
import type { TokensOfModel } from '@assay/span-reading/summarize-trace';
import { describe, expect, test } from 'vitest';
import { createPrices } from '../src/domain/prices.ts';

const sonnet = {
  inputUsdPerMillion: 3,
  outputUsdPerMillion: 15,
  cacheReadUsdPerMillion: 0.3,
  cacheWriteUsdPerMillion: 3.75,
};

/** The prices of a service that knows one model, and fails for one. */
const { costOf } = createPrices({
  ask: {
    scoring: {
      modelPrice: async (_identity: unknown, { model }: { model: string }) => {
        if (model === 'unreachable') throw new Error('No answer.');
        return { price: model === 'claude-sonnet-4-5' ? sonnet : null };
      },
    },
  } as never,
});

const identity = serviceIdentity('organization');
const tokens = (given: Partial<TokensOfModel> = {}): TokensOfModel => ({
  model: 'claude-sonnet-4-5',
  provider: 'anthropic',
  input: 0,
  cacheRead: 0,
  cacheCreation: 0,
  output: 0,
  isFree: false,
  ...given,
});

describe('the cost of a trace', () => {
  test('has what was read from a cache and written to one by its own price', async () => {
    const cached = tokens({ input: 5, cacheRead: 128_955, cacheCreation: 1253, output: 100 });
    const { costUsd, costIsPartial } = await costOf(identity, {
      toldCostUsd: null,
      tokensByModel: [cached],
    });
    expect(costUsd).toBeCloseTo(0.0449, 4);
    expect(costIsPartial).toBe(false);
  });

  test('is the known part where a price is not known', async () => {
    const unknown = tokens({ model: 'mine', input: 100 });
    const known = tokens({ input: 1_000_000 });
    expect(await costOf(identity, { toldCostUsd: null, tokensByModel: [known, unknown] })).toEqual({
      costUsd: 3,
      costIsPartial: true,
    });
    for (const model of ['', 'mine', 'unreachable'])
      expect(
        await costOf(identity, { toldCostUsd: null, tokensByModel: [tokens({ model, input: 1 })] }),
      ).toEqual({ costUsd: null, costIsPartial: true });
  });

  test('is that of the client where it says so, beside the calls of others', async () => {
    const known = tokens({ output: 1_000_000 });
    expect(await costOf(identity, { toldCostUsd: 0.5, tokensByModel: [known] })).toEqual({
      costUsd: 15.5,
      costIsPartial: false,
    });
    expect(await costOf(identity, { toldCostUsd: 0.5, tokensByModel: [] })).toEqual({
      costUsd: 0.5,
      costIsPartial: false,
    });
  });

  test('is nothing where the client says so and no price contradicts it', async () => {
    const free = { isFree: true, input: 1_000_000 };
    expect(
      await costOf(identity, {
        toldCostUsd: null,
        tokensByModel: [tokens({ ...free, model: 'mine' })],
      }),
    ).toEqual({ costUsd: 0, costIsPartial: false });
    expect(await costOf(identity, { toldCostUsd: null, tokensByModel: [tokens(free)] })).toEqual({
      costUsd: 3,
      costIsPartial: false,
    });
  });

  test('is unknown and whole where no call of a model was made', async () => {
    expect(await costOf(identity, { toldCostUsd: null, tokensByModel: [] })).toEqual({
      costUsd: null,
      costIsPartial: false,
    });
  });
});
