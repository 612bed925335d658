import type { JudgeProvider } from '@assay/contracts/scoring';
import type { Price } from '../config.ts';
import { type ListPrice, listPrices } from './list-prices.ts';
import { makerOf } from './makers.ts';
import { type ProviderName, providerNames, providerOf } from './providers.ts';

/** The price of a model in US dollars for a million tokens. */
export interface ModelPrice {
  inputUsdPerMillion: number;
  outputUsdPerMillion: number;
  cacheReadUsdPerMillion: number;
  cacheWriteUsdPerMillion: number;
}

interface KnownPrice extends ModelPrice {
  provider: ProviderName;
  model: string;
  isEmbedding: boolean;
}

/**
 * Matches suffixes of a model's name that do not name another model: a date or a revision,
 * `-latest`, `-preview`, Bedrock's `-v1:0`.
 */
const revision =
  /^(-preview|-exp)?(-latest|-\d{8}|-\d{4}-\d{2}-\d{2}|-\d{2}-\d{4}|-\d{2}-\d{2}|-\d{3,4})?(-v\d+(:\d+)*)?$/;

/** Bedrock's profiles for a region, or for all. */
const regionPrefix = /^bedrock\/(us|us-gov|eu|apac|jp|au|ca|global)\./;

/**
 * The prices of models: the list's, or those of MODEL_PRICES_FILE in its place, and over them those of JUDGE_PRICES.
 * Both were checked when they were read. Names of models are compared without regard to case.
 */
export function createPrices({
  listed,
  configured = '{}',
}: {
  listed?: Record<string, Price> | undefined;
  configured?: string | undefined;
} = {}) {
  const known = new Map<string, KnownPrice>();
  const add = (name: string, price: Price) => {
    const target = providerOf(name);
    if (target)
      known.set(keyOf(target), {
        ...target,
        isEmbedding: false,
        inputUsdPerMillion: price.inputUsdPerMillion,
        outputUsdPerMillion: price.outputUsdPerMillion,
        cacheReadUsdPerMillion: price.cacheReadUsdPerMillion ?? price.inputUsdPerMillion,
        cacheWriteUsdPerMillion: price.cacheWriteUsdPerMillion ?? price.inputUsdPerMillion,
      });
  };
  if (listed) for (const [name, price] of Object.entries(listed)) add(name, price);
  else for (const price of ofList()) known.set(keyOf(price), price);
  for (const [name, price] of Object.entries(JSON.parse(configured) as Record<string, Price>))
    add(name, price);

  function of({ provider, model }: { provider: ProviderName; model: string }) {
    const name = keyOf({ provider, model });
    return (
      known.get(name) ??
      ofRevision(
        known,
        name.replace(regionPrefix, 'bedrock/').replace(/^google\/models\//, 'google/'),
      )
    );
  }

  return {
    /** The price of a model: of its own name, or of the longest name that it is a revision of. */
    of: (target: { provider: ProviderName; model: string }): ModelPrice | undefined => of(target),

    /**
     * The price of a model that a span names, whose client has names of its own for its maker. A maker that is named
     * and not known is not priced by another's list; where none is named, the model has a price if one maker alone
     * has it.
     */
    ofSpan({
      provider,
      model,
    }: {
      provider: string | null;
      model: string;
    }): ModelPrice | undefined {
      const slash = model.indexOf('/');
      const prefix = slash < 0 ? undefined : makerOf(model.slice(0, slash));
      const maker = provider === null ? prefix : makerOf(provider);
      if (maker) {
        const own = prefix === maker ? model.slice(slash + 1) : model;
        return of({ provider: maker, model: own });
      }
      if (provider !== null) return undefined;
      const found = providerNames.flatMap((each) => of({ provider: each, model }) ?? []);
      return found.length === 1 ? found[0] : undefined;
    },

    models: (provider: ProviderName): JudgeProvider['models'] =>
      [...known.values()].flatMap(({ isEmbedding, ...price }) =>
        price.provider === provider && !isEmbedding
          ? [
              {
                model: provider === 'openai' ? price.model : `${provider}/${price.model}`,
                inputUsdPerMillion: price.inputUsdPerMillion,
                outputUsdPerMillion: price.outputUsdPerMillion,
              },
            ]
          : [],
      ),
  };
}

const keyOf = ({ provider, model }: { provider: ProviderName; model: string }): string =>
  `${provider}/${model.toLowerCase()}`;

const ofList = (): KnownPrice[] =>
  Object.entries(listPrices).flatMap(([provider, models]) =>
    Object.entries(models).map(
      ([model, [input, output, cacheRead, cacheWrite]]: [string, ListPrice]) => ({
        provider: provider as ProviderName,
        model,
        isEmbedding: output === undefined,
        inputUsdPerMillion: input,
        outputUsdPerMillion: output ?? 0,
        cacheReadUsdPerMillion: cacheRead ?? input,
        cacheWriteUsdPerMillion: cacheWrite ?? input,
      }),
    ),
  );

function ofRevision(known: Map<string, KnownPrice>, name: string): KnownPrice | undefined {
  for (let end = name.length; end > 0; end--) {
    const price = revision.test(name.slice(end)) && known.get(name.slice(0, end));
    if (price) return price;
  }
  return undefined;
}
