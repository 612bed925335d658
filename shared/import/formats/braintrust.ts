import { defineFormat } from '../assemble.ts';
import type { Fields } from '../entity.ts';
import type { Place } from '../failure.ts';
import type { Item, Reading, ScoreFacts } from '../item.ts';
import {
  defined,
  fieldsOf,
  listAt,
  numberAt,
  numbers,
  objectAt,
  plainNumber,
  textAt,
  valueAt,
} from '../reading/json-values.ts';
import { has, sketchOf } from '../reading/sketch.ts';
import { stemOf } from '../source.ts';
import { testsetPerFile } from './testset-per-file.ts';

/** Rows of a dataset or of an experiment, of which the spans at the top are records. */
const items = testsetPerFile(['/events', '/data'], ({ value, place, fileName }, { lose }) => {
  if (isInner(value)) {
    lose(place, 'Spans within a row are parts of a trace, and stay behind.');
    return undefined;
  }
  const isRow = 'output' in value || 'scores' in value;
  return {
    place,
    testcase: testcaseOf(value),
    ...(isRow ? recordOf(value, place, stemOf(fileName), lose) : {}),
  };
});

function isInner(row: Fields): boolean {
  const [span, root] = [textAt(row, 'span_id'), textAt(row, 'root_span_id')];
  return row.is_root === false || (span !== undefined && root !== undefined && span !== root);
}

function testcaseOf(row: Fields): NonNullable<Item['testcase']> {
  const id = textAt(row, 'dataset_record_id') ?? textAt(row, 'origin', 'id') ?? textAt(row, 'id');
  const tags = row.tags;
  return {
    ...(id === undefined ? {} : { key: id }),
    inputs: fieldsOf(row.input, 'input'),
    expected: fieldsOf(row.expected === '' ? undefined : row.expected, 'expected'),
    metadata: defined({
      ...fieldsOf(row.metadata === '' ? undefined : row.metadata, 'metadata'),
      tags: Array.isArray(tags) && tags.length > 0 ? tags : undefined,
      importedId: id,
    }),
  };
}

function recordOf(row: Fields, place: Place, name: string, lose: Reading['lose']): Partial<Item> {
  const run = textAt(row, 'experiment_name') ?? textAt(row, 'experiment_id') ?? name;
  const error = row.error === '' ? undefined : (row.error ?? undefined);
  const metrics = row.metrics;
  const [start, end] = [numberAt(metrics, 'start'), numberAt(metrics, 'end')];
  return {
    run: { id: run, name: run },
    record: {
      id: textAt(row, 'id'),
      outputs: fieldsOf(row.output ?? (error === undefined ? '' : undefined), 'output'),
      error,
      otelLinkId: textAt(row, 'root_span_id'),
      metrics: {
        ...(start === undefined || end === undefined || end < start
          ? {}
          : { latencyMs: Math.round((end - start) * 1000) }),
        ...numbers(metrics, {
          inputTokens: ['prompt_tokens'],
          outputTokens: ['completion_tokens'],
          costUsd: ['estimated_cost'],
        }),
      },
    },
    scores: scoresOf(row),
    annotations: commentsOf(row, place, lose),
  };
}

/** An object of scores; in CSV also columns such as `scores.Factuality`. */
function scoresOf(row: Fields): ScoreFacts[] {
  const columns = Object.entries(row).flatMap(([key, value]): [string, unknown][] =>
    key.startsWith('scores.') && value !== '' ? [[key.slice('scores.'.length), Number(value)]] : [],
  );
  const scores = Object.entries(objectAt({ scores: row.scores }, 'scores') ?? {});
  return [...scores, ...columns].flatMap(([name, given]): ScoreFacts[] => {
    const value = plainNumber(given);
    return typeof value === 'number' && Number.isFinite(value)
      ? [{ name, rule: 'share', value }]
      : [];
  });
}

function commentsOf(row: Fields, place: Place, lose: Reading['lose']): Item['annotations'] {
  return listAt(row, 'comments').flatMap((comment) => {
    const text = textAt(comment, 'comment', 'text') ?? textAt(comment, 'text');
    if (text === undefined && valueAt(comment, 'comment') !== undefined)
      lose(place, 'A comment has no text, and stays behind.');
    return text === undefined ? [] : [{ comment: text }];
  });
}

export const braintrust = defineFormat({
  name: 'braintrust',
  title: 'Braintrust dataset or experiment',
  detect(head) {
    const sketch = sketchOf(head);
    if (has(sketch, 'root_span_id', 'input') || has(sketch, 'span_id', 'scores')) return 0.9;
    if (has(sketch, 'input', 'expected') && has(sketch, 'dataset_id')) return 0.85;
    if (has(sketch, 'input', 'output', 'expected', 'scores')) return 0.8;
    return /"events"\s*:\s*\[/.test(sketch.text) && /"root_span_id"/.test(sketch.text) ? 0.9 : 0;
  },
  items,
});
