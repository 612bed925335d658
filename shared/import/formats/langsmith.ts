import { isObject } from '@assay/json/value';
import { defineFormat } from '../assemble.ts';
import type { Fields } from '../entity.ts';
import type { Place } from '../failure.ts';
import type { Item, Reading, ScoreFacts } from '../item.ts';
import {
  defined,
  fieldsOf,
  numberAt,
  numbers,
  objectAt,
  plainNumber,
  saidAt,
  textAt,
  valueAt,
} from '../reading/json-values.ts';
import { has, sketchOf } from '../reading/sketch.ts';
import { stemOf } from '../source.ts';
import { categoryValue } from './categories.ts';
import { testsetPerFile } from './testset-per-file.ts';

/** Examples of a dataset, rows of an experiment as CSV, or runs as the API answers them. */
const items = testsetPerFile(['/data', '/examples'], ({ value, place, fileName }, reading) =>
  isExperiment(value)
    ? recordOf(value, place, reading, stemOf(fileName))
    : { place, testcase: exampleOf(value) },
);

const isExperiment = (row: Fields): boolean =>
  'reference_example_id' in row ||
  Object.keys(row).some(
    (key) => key.startsWith('feedback.') || key.startsWith('reference_outputs'),
  );

/** The fields of a column and of columns below it, such as `outputs` and `outputs.answer`. */
function columnsOf(row: Fields, name: string): Fields {
  const below = Object.entries(row).filter(([key]) => key.startsWith(`${name}.`));
  return {
    ...fieldsOf(row[name] === '' ? undefined : row[name], name.replace(/s$/, '')),
    ...Object.fromEntries(below.map(([key, value]) => [key.slice(name.length + 1), value])),
  };
}

function exampleOf(row: Fields): NonNullable<Item['testcase']> {
  const id = textAt(row, 'id');
  return {
    ...(id === undefined ? {} : { key: id }),
    inputs: columnsOf(row, 'inputs'),
    expected: columnsOf(row, 'outputs'),
    metadata: defined({
      ...columnsOf(row, 'metadata'),
      split: valueAt(row, 'split') ?? valueAt(row, 'metadata', 'dataset_split'),
      importedId: id,
    }),
  };
}

function recordOf(row: Fields, place: Place, { options, lose }: Reading, name: string): Item {
  const example = textAt(row, 'reference_example_id') ?? textAt(row, 'example_id');
  const run = textAt(row, 'session_name') ?? textAt(row, 'session_id') ?? name;
  const isFailed = textAt(row, 'status') === 'error';
  const error = saidAt(row, 'error') ?? (isFailed ? 'The run ended with an error.' : undefined);
  const outputs = columnsOf(row, 'outputs');
  return {
    place,
    testcase: {
      ...(example === undefined ? {} : { key: example }),
      inputs: columnsOf(row, 'inputs'),
      expected: columnsOf(row, 'reference_outputs'),
      metadata: defined({ importedId: example }),
      isPartial: true,
    },
    run: { id: run, name: run },
    record: {
      id: textAt(row, 'id') ?? textAt(row, 'run_id'),
      outputs,
      error,
      otelLinkId: textAt(row, 'trace_id'),
      metrics: {
        ...latencyOf(row),
        ...numbers(numericCells(row), {
          inputTokens: ['prompt_tokens'],
          outputTokens: ['completion_tokens'],
          costUsd: ['total_cost'],
        }),
      },
    },
    scores: feedbackOf(row).flatMap(([key, value]): ScoreFacts[] => {
      if (typeof value === 'string')
        return categoryValue({ name: key }, value, options, place, lose);
      return [{ name: key, rule: 'share', value }];
    }),
  };
}

/** Cells of CSV are text, also where they are numbers. */
const numericCells = (row: Fields): Fields =>
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      typeof value === 'string' && value.trim() !== '' ? Number(value) : value,
    ]),
  );

/** Seconds in a column, or the time between start and end. */
function latencyOf(row: Fields): { latencyMs?: number } {
  const seconds = numberAt(numericCells(row), 'latency');
  if (seconds !== undefined) return { latencyMs: Math.round(seconds * 1000) };
  const [start, end] = [textAt(row, 'start_time'), textAt(row, 'end_time')].map((time) =>
    Date.parse(time ?? ''),
  );
  const duration = end! - start!;
  return duration >= 0 ? { latencyMs: duration } : {};
}

function feedbackOf(row: Fields): [string, boolean | number | string][] {
  const cells = Object.entries(row).flatMap(([key, value]): [string, unknown][] =>
    key.startsWith('feedback.') ? [[key.slice('feedback.'.length), value]] : [],
  );
  const stats = Object.entries(objectAt(row, 'feedback_stats') ?? {}).map(
    ([key, stat]): [string, unknown] => [key, isObject(stat) ? stat.avg : undefined],
  );
  return [...cells, ...stats].flatMap(([key, given]): [string, boolean | number | string][] => {
    const value = plainNumber(given);
    if (typeof value === 'number' || typeof value === 'boolean') return [[key, value]];
    if (typeof value !== 'string' || value.trim() === '') return [];
    if (/^(true|false)$/i.test(value)) return [[key, value.toLowerCase() === 'true']];
    const number = Number(value);
    return [[key, Number.isFinite(number) ? number : value]];
  });
}

export const langsmith = defineFormat({
  name: 'langsmith',
  title: 'LangSmith dataset or experiment',
  detect(head) {
    const sketch = sketchOf(head);
    if ([...sketch.columns].some((name) => name.startsWith('feedback.'))) return 0.9;
    if (has(sketch, 'reference_example_id')) return 0.9;
    if (!has(sketch, 'inputs', 'outputs')) return 0;
    return has(sketch, 'dataset_id') || has(sketch, 'split') ? 0.85 : 0.7;
  },
  items,
});
