import type { Client } from '@assay/client/client';
import type { Row, ScoreValue } from './evaluation.ts';
import { forUsersCode } from './exact-numbers.ts';

/** Reads the records of a run, page by page. `names` are those of its metric versions. */
export async function* rowsOfRun({
  client,
  runId,
  names,
}: {
  client: Client;
  runId: string;
  names: ReadonlyMap<string, string>;
}): AsyncGenerator<Row> {
  for await (const record of client.list('/runs/:runId/records', { params: { runId } })) {
    const scores: Row['scores'] = Object.fromEntries(
      [...names.values()].map((name) => [name, null]),
    );
    for (const { metricConfigId, score, validationErrors } of record.scores) {
      const name = names.get(metricConfigId);
      if (name !== undefined && !validationErrors) scores[name] = valueIn(score);
    }
    const { inputs, outputs, expected } = record;
    yield {
      ...forUsersCode({ inputs, outputs, expected }),
      scores,
      ...(record.error ? { error: { name: 'Error', ...record.error } } : {}),
      durationMs: record.metrics?.latencyMs ?? null,
    };
  }
}

const valueFields = ['value', 'binaryScore', 'intScore', 'floatScore'];

const valueIn = (score: Record<string, unknown>): ScoreValue =>
  (valueFields.map((field) => score[field]).find((value) => value != null) ?? null) as ScoreValue;
