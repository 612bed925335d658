import type { MetricVersionOutline, OutputType } from '@assay/contracts/metrics';
import type { Payload } from '@assay/contracts/payload';
import { unnamedError } from '@assay/contracts/run-records';
import { finalValue, ratingsOf } from '@assay/evaluators/ratings';
import { onOneLine } from '@assay/runtime/http/chunks';
import type { ExportedRecord } from '../../store/export.ts';
import type { StoredScore } from '../accounts/score-states.ts';

export interface Column {
  name: string;
  type: 'text' | 'instant' | 'payload' | OutputType;
  isRequired: boolean;
}

export type Cell = string | Date | boolean | number | null;

/** A record's cells, in the order of the columns. */
export interface Row {
  about: Cell[];
  payloads: Payload[];
  /** Of each metric version the value and the reasoning; then the metrics of the record itself. */
  results: Cell[];
}

/** A run's records as a table. */
export interface Table {
  columns: Column[];
  rowOf: (record: ExportedRecord) => Row;
}

const required = { isRequired: true } as const;
const optional = { isRequired: false } as const;

const recordColumns: Column[] = [
  { name: 'id', type: 'text', ...required },
  { name: 'testcaseId', type: 'text', ...optional },
  { name: 'createdAt', type: 'instant', ...required },
  { name: 'clientId', type: 'text', ...optional },
  { name: 'otelLinkId', type: 'text', ...optional },
  { name: 'sessionId', type: 'text', ...optional },
  { name: 'tags', type: 'text', ...required },
  { name: 'inputs', type: 'payload', ...required },
  { name: 'expected', type: 'payload', ...required },
  { name: 'outputs', type: 'payload', ...required },
];

/** The metrics and the metadata of the record itself, and why its system gave no answer. */
const systemColumns: Column[] = [
  { name: 'latencyMs', type: 'float', ...optional },
  { name: 'inputTokens', type: 'int', ...optional },
  { name: 'outputTokens', type: 'int', ...optional },
  { name: 'costUsd', type: 'float', ...optional },
  { name: 'metadata', type: 'text', ...optional },
  { name: 'error_name', type: 'text', ...optional },
  { name: 'error_message', type: 'text', ...optional },
];

/**
 * The table of a run with these metric versions. A value is the one that the run's summary counts:
 * where several people score, the aggregate of their scores, once all of them are given. Their
 * reasonings are joined, one per line.
 */
export function tableOf(metrics: MetricVersionOutline[]): Table {
  return {
    columns: [...recordColumns, ...metricColumns(metrics), ...systemColumns],
    rowOf: (record) => ({
      about: [
        record.id,
        record.testcaseId,
        record.createdAt,
        record.clientId ?? null,
        record.otelLinkId ?? null,
        record.sessionId ?? null,
        JSON.stringify(record.tags),
      ],
      payloads: [record.inputs, record.expected, record.outputs],
      results: [...resultsOf(record, metrics), ...systemCells(record)],
    }),
  };
}

/**
 * Two columns a metric version, named after the metric. Names that are taken get a number; many
 * readers do not tell case apart.
 */
function metricColumns(metrics: MetricVersionOutline[]): Column[] {
  const taken = new Set([...recordColumns, ...systemColumns].map(({ name }) => name.toLowerCase()));
  return metrics.flatMap(({ name, outputType }) => {
    let names = [name, `${name} reasoning`];
    for (let number = 2; names.some((wanted) => taken.has(wanted.toLowerCase())); number++)
      names = [`${name} (${number})`, `${name} (${number}) reasoning`];
    for (const used of names) taken.add(used.toLowerCase());
    return [
      { name: names[0]!, type: outputType, ...optional },
      { name: names[1]!, type: 'text', ...optional },
    ] satisfies Column[];
  });
}

const systemCells = ({ error, metrics = {}, metadata }: ExportedRecord): Cell[] => [
  metrics.latencyMs ?? null,
  metrics.inputTokens ?? null,
  metrics.outputTokens ?? null,
  metrics.costUsd ?? null,
  metadata === undefined ? null : onOneLine(Buffer.from(metadata)).toString(),
  error ? (error.name ?? unnamedError) : null,
  error?.message ?? null,
];

function resultsOf({ scores, awaited }: ExportedRecord, metrics: MetricVersionOutline[]): Cell[] {
  const ratings = ratingsOf(scores);
  return metrics.flatMap(({ metricVersionId, outputType }) => [
    finalValue(ratings.get(metricVersionId) ?? [], { metricVersionId, outputType, awaited }) ??
      null,
    reasoningOf(scores.filter((score) => score.metricVersionId === metricVersionId)),
  ]);
}

function reasoningOf(scores: StoredScore[]): string | null {
  const reasonings = scores
    .map(({ text }) => (JSON.parse(text) as { reasoning?: unknown }).reasoning)
    .filter((reasoning) => typeof reasoning === 'string');
  return reasonings.length > 0 ? reasonings.join('\n') : null;
}
