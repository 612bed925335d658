import type { ItemOf } from '@assay/client/operations';
import { formatCount, formatDollars } from './format.ts';

type RecordMetrics = NonNullable<ItemOf<'/runs/:runId/records'>['metrics']>;

const formats: { [Field in keyof RecordMetrics]-?: { name: string; of: (n: number) => string } } = {
  latencyMs: { name: 'Latency', of: (ms) => `${formatCount(ms)} ms` },
  inputTokens: { name: 'Input tokens', of: formatCount },
  outputTokens: { name: 'Output tokens', of: formatCount },
  costUsd: { name: 'Cost', of: formatDollars },
};

/** The latency, tokens and cost of an answer, in words and in a fixed order. */
export const tookOf = (metrics: RecordMetrics = {}): { name: string; text: string }[] =>
  (Object.keys(formats) as (keyof RecordMetrics)[]).flatMap((field) => {
    const value = metrics[field];
    return value === undefined
      ? []
      : [{ name: formats[field].name, text: formats[field].of(value) }];
  });

/** The places of these metrics in a record, as columns name them. */
export const tookPointers = Object.keys(formats).map((field) => `/metrics/${field}`);

/** One of these values; undefined where the record has none. */
export function tookAt(metrics: RecordMetrics = {}, pointer: string): string | undefined {
  const field = pointer.slice('/metrics/'.length) as keyof RecordMetrics;
  const value = metrics[field];
  return value === undefined ? undefined : formats[field].of(value);
}
