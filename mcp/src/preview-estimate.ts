import type { Client } from '@assay/client/client';
import { previewed } from '@assay/client/preview-of';
import type { JudgeProvider } from '@assay/contracts/scoring';

interface JudgeMetric {
  evalType: string;
  promptTemplate?: string;
  guidelines?: string;
  evalModelName?: string;
  votes?: number;
}

/** More tokens than a prompt has: three characters each, and an addition for the service's own words. */
const charactersPerToken = 3;
const addedTokens = 500;
/** Tokens of a long answer of a judge, with its reasoning. */
const answerTokens = 800;
const sampledRecords = 20;

/**
 * Estimates the cost of a judge for so many records of a run, in US dollars, rather too high than
 * too low: 0 where no judge is asked, null where the price of its model is not known.
 */
export async function estimatePreview(
  api: Client,
  metric: JudgeMetric,
  { runId, limit }: { runId: string; limit: number },
): Promise<number | null> {
  if (metric.evalType !== 'ai') return 0;
  const [providers, page] = await Promise.all([
    api.request('GET', '/judges'),
    api
      .request('GET', '/runs/:runId/records', {
        params: { runId },
        query: { limit: sampledRecords, preview: 0 },
      })
      .then(previewed),
  ]);
  const price = priceOf(providers.data, metric.evalModelName ?? '');
  if (!price) return null;
  const sizes = page.data.map(
    ({ inputs, expected, outputs }) => inputs.bytes + expected.bytes + outputs.bytes,
  );
  const recordBytes = sizes.reduce((sum, size) => sum + size, 0) / Math.max(1, sizes.length);
  const characters =
    (metric.promptTemplate?.length ?? 0) + (metric.guidelines?.length ?? 0) + recordBytes;
  const inputTokens = characters / charactersPerToken + addedTokens;
  const calls = limit * (metric.votes ?? 1);
  return (calls * (inputTokens * price.input + answerTokens * price.output)) / 1_000_000;
}

function priceOf(providers: JudgeProvider[], modelName: string) {
  for (const { provider, models } of providers)
    for (const { model, inputUsdPerMillion: input, outputUsdPerMillion: output } of models)
      if (
        (modelName === model || modelName === `${provider}/${model}`) &&
        input !== null &&
        output !== null
      )
        return { input, output };
  return undefined;
}
