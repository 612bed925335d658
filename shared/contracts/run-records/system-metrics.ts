import { z } from 'zod';
import { payload } from '../payload.ts';

/** Bytes of a record's metadata, as JSON. */
export const metadataBytesMax = 16 * 1024;

const measured = (max: number) => z.number().min(0).max(max).optional();
const tokens = () => z.int().min(0).max(2_147_483_647).optional();

/** The latency, tokens and cost of an answer of the system under test. */
export const recordMetrics = z
  .object({
    latencyMs: measured(1e12).meta({ description: 'Milliseconds.' }),
    inputTokens: tokens().meta({ description: 'Tokens of what its models were sent.' }),
    outputTokens: tokens().meta({ description: 'Tokens of what they answered.' }),
    costUsd: measured(1e9).meta({ description: 'US dollars.' }),
  })
  .meta({
    id: 'RecordMetrics',
    description: 'What the answer took of the system under test.',
    examples: [{ latencyMs: 840, inputTokens: 412, outputTokens: 67, costUsd: 0.0012 }],
  });
export type RecordMetrics = z.infer<typeof recordMetrics>;

export const recordMetadata = () =>
  payload(`What else there is to say of the record: at most ${metadataBytesMax} bytes of JSON.`, {
    bytesMax: metadataBytesMax,
  });

/**
 * The names under which comparisons, summaries and plans take the metrics of records, in place of
 * a metric's id.
 */
export const systemMetrics = [
  { id: 'latency', field: 'latencyMs', name: 'Latency in ms' },
  { id: 'input_tokens', field: 'inputTokens', name: 'Input tokens' },
  { id: 'output_tokens', field: 'outputTokens', name: 'Output tokens' },
  { id: 'cost', field: 'costUsd', name: 'Cost in US dollars' },
] as const satisfies { id: string; field: keyof RecordMetrics; name: string }[];

export const systemMetricsInWords =
  '`latency`, `input_tokens`, `output_tokens` and `cost` are the metrics of the records themselves: numbers from 0 on, of which less is better.';
