import type { LanguageModelV3Usage } from '@ai-sdk/provider';
import type { Price } from '../config.ts';

/** The tokens and the cost of calls. The cost is undefined if the model has no price. */
export interface Usage {
  inputTokens: number;
  outputTokens: number;
  costUsd: number | undefined;
}

/** More tokens than any model takes or makes in one call: a count above is made up. */
const tokensMax = 100_000_000;

/**
 * Adds up the usage of calls to a model with this price. Token counts that cannot be true count as
 * 0, and make the usage incomplete.
 */
export function createMeter(price: Price | undefined) {
  let inputTokens = 0;
  let outputTokens = 0;
  let isComplete = true;

  function counted(tokens: unknown): number {
    const isCredible =
      Number.isInteger(tokens) && (tokens as number) >= 0 && (tokens as number) <= tokensMax;
    if (!isCredible) isComplete = false;
    return isCredible ? (tokens as number) : 0;
  }

  return {
    add(usage: LanguageModelV3Usage): void {
      inputTokens += counted(usage.inputTokens.total);
      outputTokens += counted(usage.outputTokens.total);
    },
    isComplete: () => isComplete,
    usage: (): Usage => ({
      inputTokens,
      outputTokens,
      costUsd:
        price &&
        (inputTokens * price.inputUsdPerMillion + outputTokens * price.outputUsdPerMillion) / 1e6,
    }),
  };
}
