import type { Metrics } from '@assay/runtime/metrics';
import type { CallResult, Request } from './call.ts';
import type { createPrices } from './prices.ts';
import type { Target } from './retrying-call.ts';
import { createMeter } from './usage.ts';

/** How a call ended, as its label says it. `limited` is a refusal by a rate limit. */
const outcomes: Record<CallResult['kind'], string> = {
  answer: 'answered',
  limited: 'limited',
  unsupported: 'refused',
  final: 'refused',
  failed: 'failed',
  timeout: 'timeout',
};

type Call = (request: Request) => Promise<CallResult>;

/**
 * Measures the calls to models. Models without a known price have the label `other` together: users
 * choose names, and each name would be series of its own.
 */
export function createJudgeInstruments({
  metrics,
  prices,
  targets,
}: {
  metrics: Metrics;
  prices: Pick<ReturnType<typeof createPrices>, 'of'>;
  targets: () => Iterable<Target>;
}) {
  const labelsOf = ({ provider, model }: Pick<Request, 'provider' | 'model'>) => ({
    provider,
    model: prices.of({ provider, model }) ? model : 'other',
  });
  const calls = metrics.seconds(
    'assay_judge_calls_seconds',
    'How long calls to judges took, by provider, model and outcome.',
    ['provider', 'model', 'outcome'],
  );
  const cost = metrics.counter(
    'assay_judge_cost_usd_total',
    'What the answers of judges cost in USD, by their tokens, where the price is known.',
    ['provider', 'model'],
  );
  metrics.gauges(
    'assay_judge_circuit_open',
    'Whether a model fails again and again, and is left alone for a while: 1 or 0.',
    'model',
    async () => {
      const open = new Map<string, number>();
      for (const target of targets()) {
        const { provider, model } = labelsOf(target);
        const name = `${provider}/${model}`;
        open.set(name, Math.max(open.get(name) ?? 0, Number(target.circuit.isOpen())));
      }
      return [...open];
    },
  );

  return {
    measured:
      (call: Call): Call =>
      async (request) => {
        const startedAt = performance.now();
        const labels = labelsOf(request);
        const ended = (outcome: string) =>
          calls.observe({ ...labels, outcome }, (performance.now() - startedAt) / 1000);
        try {
          const result = await call(request);
          ended(outcomes[result.kind]);
          if (result.kind === 'answer') cost.inc(labels, costOf(request, result.result.usage));
          return result;
        } catch (error) {
          ended('stopped');
          throw error;
        }
      },
  };

  function costOf(
    { provider, model }: Request,
    used: Extract<CallResult, { kind: 'answer' }>['result']['usage'],
  ): number {
    const meter = createMeter(prices.of({ provider, model }));
    meter.add(used);
    return meter.usage().costUsd ?? 0;
  }
}
