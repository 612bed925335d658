import type { Asks, Identity } from '@assay/contracts/define';
import { Failure, invalidAt } from '@assay/contracts/failure';
import type { MetricWarning } from '@assay/contracts/metrics';
import type { scoring } from '@assay/contracts/scoring';
import type { MetricDefinition } from './metric-definition.ts';

type Answer = Awaited<ReturnType<Asks<typeof scoring>['judge']>>;

export type WarningsFor = ReturnType<typeof createWarnings>;

const path = '/evalModelName';

/**
 * Warns of a metric whose model has no configured provider, or no known price, as far as the
 * scoring service knows.
 */
export function createWarnings({ ask }: { ask: { scoring: Asks<typeof scoring> } }) {
  /**
   * Returns undefined if the scoring service does not answer: its answer is only help, and no
   * metric waits for it.
   */
  async function answerFor(identity: Identity, model: string): Promise<Answer | undefined> {
    try {
      return await ask.scoring.judge(identity, { model });
    } catch (error) {
      if (error instanceof Failure) return undefined;
      throw error;
    }
  }

  /**
   * @throws VALIDATION_ERROR for a model of no provider, or one that may not be asked, unless it is
   * the former one: a metric that has it can still be changed.
   */
  return async (
    identity: Identity,
    { judge }: MetricDefinition,
    former?: MetricDefinition,
  ): Promise<MetricWarning[]> => {
    const model = judge?.evalModelName;
    const answer = model === undefined ? undefined : await answerFor(identity, model);
    if (model === undefined || !answer) return [];
    const isFormer = model === former?.judge?.evalModelName;
    if (answer.provider === null && !isFormer)
      throw invalidAt(path, noProvider(model, answer.providers));
    if (!answer.isAllowed && !isFormer) throw invalidAt(path, notAllowed(model, answer));
    return [
      ...(answer.isConfigured ? [] : [notConfigured(model, answer)]),
      ...(answer.hasPrice ? [] : [unknownPrice(model)]),
    ];
  };
}

const noProvider = (model: string, providers: string[]): string =>
  `names no provider in ${JSON.stringify(model)}; put one of ${providers.map((provider) => `${provider}/`).join(', ')} before the model's name, or none for openai`;

const notAllowed = (model: string, { allowedModels }: Answer): string =>
  `names the model ${JSON.stringify(model)}, which may not be asked here: the operator allows ${allowedModels} (JUDGE_MODELS)`;

const notConfigured = (model: string, { provider }: Answer): MetricWarning => ({
  code: 'no_provider',
  path,
  message: `No provider is configured for ${model}, so its scores will fail with no_provider until ${provider === null ? 'the metric names a model of one' : `${provider} is configured`}.`,
});

const unknownPrice = (model: string): MetricWarning => ({
  code: 'unknown_price',
  path,
  message: `The price of ${model} is not known, so a run's cost and budget do not count it.`,
});
