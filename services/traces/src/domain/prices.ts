import type { Identity } from '@assay/contracts/define';
import type { TokensOfModel, TraceSummary } from '@assay/span-reading/summarize-trace';
import { createAnswerMemory } from './answer-memory.ts';
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
  const known = createAnswerMemory<Price | null>({ max: knownMax, ttl: knownMs });

  // Without its price a trace is settled all the same, and the next one asks again.
  const priceOf = (identity: Identity, model: string): Promise<Price | null> =>
    known
      .ask(model, async () => (await ask.scoring.judge(identity, { model })).price ?? null)
      .catch(() => null);

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
