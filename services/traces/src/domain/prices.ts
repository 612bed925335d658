import type { Identity } from '@assay/contracts/define';
import type { TokensOfModel, TraceSummary } from '@assay/span-reading/summarize-trace';
import { createAnswerMemory } from './answer-memory.ts';
import type { Dependencies } from './dependencies.ts';

const knownMax = 1000;
const knownMs = 10 * 60_000;

type Price = NonNullable<
  Awaited<ReturnType<Dependencies['ask']['scoring']['modelPrice']>>['price']
>;

/** The cost of a trace in US dollars, as far as it is known. */
export interface TraceCost {
  /** The known part; null where no part is known. */
  costUsd: number | null;
  /** A call has neither a cost of its own nor a price. */
  costIsPartial: boolean;
}

export type Prices = ReturnType<typeof createPrices>;

/** The prices of models, as the scoring service knows them; remembered for ten minutes. */
export function createPrices({ ask }: Pick<Dependencies, 'ask'>) {
  const known = createAnswerMemory<Price | null>({ max: knownMax, ttl: knownMs });

  // Without its price a trace is settled all the same, and the next one asks again.
  const priceOf = (
    identity: Identity,
    { provider, model }: TokensOfModel,
  ): Promise<Price | null> =>
    model === ''
      ? Promise.resolve(null)
      : known
          .ask(JSON.stringify([provider, model]), async () => {
            const { price } = await ask.scoring.modelPrice(identity, { provider, model });
            return price;
          })
          .catch(() => null);

  async function costOfModel(identity: Identity, tokens: TokensOfModel): Promise<number | null> {
    const price = await priceOf(identity, tokens);
    if (!price) return tokens.isFree ? 0 : null;
    return (
      (tokens.input * price.inputUsdPerMillion +
        tokens.cacheRead * price.cacheReadUsdPerMillion +
        tokens.cacheCreation * price.cacheWriteUsdPerMillion +
        tokens.output * price.outputUsdPerMillion) /
      1e6
    );
  }

  return {
    /** The cost of a trace: as clients say it of their calls, and of the other calls by their tokens. */
    async costOf(
      identity: Identity,
      { toldCostUsd, tokensByModel }: Pick<TraceSummary, 'toldCostUsd' | 'tokensByModel'>,
    ): Promise<TraceCost> {
      const costs = await Promise.all(tokensByModel.map((tokens) => costOfModel(identity, tokens)));
      const parts = [toldCostUsd, ...costs].filter((cost) => cost !== null);
      return {
        costUsd: parts.length === 0 ? null : parts.reduce((sum, cost) => sum + cost, 0),
        costIsPartial: costs.includes(null),
      };
    },
  };
}
