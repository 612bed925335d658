import type { Identity } from '@assay/contracts/define';
import type { TokensOfModel, TraceSummary } from '@assay/span-reading/summarize-trace';
import { LRUCache } from 'lru-cache';
import type { Dependencies } from './dependencies.ts';

const knownMax = 1000;
const knownMs = 10 * 60_000;

interface Price {
  inputUsdPerMillion: number;
  outputUsdPerMillion: number;
}

/** Providers by the names that instrumentations give them, as the price list has them. */
const providers: Record<string, string> = {
  'azure.ai.openai': 'openai',
  'gcp.gemini': 'google',
  'gcp.gen_ai': 'google',
  'gcp.vertex_ai': 'google',
};

export type Prices = ReturnType<typeof createPrices>;

/** The prices of models, as the scoring service knows them; remembered for ten minutes. */
export function createPrices({ ask }: Pick<Dependencies, 'ask'>) {
  const known = new LRUCache<string, Promise<Price | null>>({ max: knownMax, ttl: knownMs });

  function priceOf(identity: Identity, model: string): Promise<Price | null> {
    const before = known.get(model);
    if (before) return before;
    const asked = ask.scoring.judge(identity, { model }).then(({ price }) => price ?? null);
    known.set(model, asked);
    // Without its price a trace is settled all the same, and the next one asks again.
    return asked.catch(() => {
      known.delete(model);
      return null;
    });
  }

  async function costOfModel(
    identity: Identity,
    { model, provider, input, output }: TokensOfModel,
  ): Promise<number | null> {
    const price = await priceOf(
      identity,
      `${provider && (providers[provider] ?? provider)}/${model}`,
    );
    return price && (input * price.inputUsdPerMillion + output * price.outputUsdPerMillion) / 1e6;
  }

  return {
    /** The cost of a trace: as its client says, else by its tokens; null where a price is not known. */
    async costOf(
      identity: Identity,
      { costUsd, tokensByModel }: Pick<TraceSummary, 'costUsd' | 'tokensByModel'>,
    ): Promise<number | null> {
      if (costUsd !== null || tokensByModel.length === 0) return costUsd;
      let sum = 0;
      for (const tokens of tokensByModel) {
        const cost = await costOfModel(identity, tokens);
        if (cost === null) return null;
        sum += cost;
      }
      return sum;
    },
  };
}
