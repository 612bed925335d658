import { isObject } from '@assay/json/value';
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
  textAt,
  valueAt,
} from '../reading/json-values.ts';
import { has, sketchOf } from '../reading/sketch.ts';
import { stemOf } from '../source.ts';
import { categoryValue } from './categories.ts';
import { testsetPerFile } from './testset-per-file.ts';

/** Datasets and experiments of Phoenix, as its API and its buttons give them. */
const items = testsetPerFile(
  ['/data/examples', '/examples'],
  ({ value, place, fileName }, reading) =>
    isRun(value)
      ? runItem(value, place, reading, stemOf(fileName))
      : { place, testcase: exampleOf(value) },
);

const isRun = (row: Fields): boolean => 'reference_output' in row || 'repetition_number' in row;

/** The column itself, and columns such as `input_question`. */
function columnsOf(row: Fields, name: string): Fields {
  const below = Object.entries(row).filter(([key]) => key.startsWith(`${name}_`));
  return {
    ...fieldsOf(row[name], name),
    ...Object.fromEntries(below.map(([key, value]) => [key.slice(name.length + 1), value])),
  };
}

function exampleOf(row: Fields): NonNullable<Item['testcase']> {
  if (Array.isArray(row.messages))
    return { inputs: { messages: row.messages }, expected: defined({ ideal: row.ideal }) };
  const id = textAt(row, 'example_id') ?? textAt(row, 'id');
  return {
    ...(id === undefined ? {} : { key: id }),
    inputs: columnsOf(row, 'input'),
    expected: columnsOf(row, 'output'),
    metadata: defined({ ...columnsOf(row, 'metadata'), importedId: id }),
  };
}

function runItem(row: Fields, place: Place, reading: Reading, name: string): Item {
  const id = textAt(row, 'example_id');
  const trial = textAt(row, 'repetition_number') ?? '1';
  const error = textAt(row, 'error');
  return {
    place,
    testcase: {
      ...(id === undefined ? {} : { key: id }),
      inputs: fieldsOf(row.input, 'input'),
      expected: fieldsOf(row.reference_output, 'output'),
      metadata: defined({ importedId: id }),
      isPartial: true,
    },
    run: { id: name, name },
    record: {
      id: id === undefined ? undefined : `${id}:${trial}`,
      outputs: error === undefined ? fieldsOf(row.output ?? '', 'output') : {},
      error,
      otelLinkId: textAt(row, 'trace_id'),
      metrics: numbers(numericOf(row), {
        latencyMs: ['latency_ms'],
        inputTokens: ['prompt_token_count'],
        outputTokens: ['completion_token_count'],
      }),
      metadata: { trial: Number(trial) },
    },
    scores: annotationsOf(row).flatMap((annotation) => scoreOf(annotation, place, reading)),
  };
}

const numericOf = (row: Fields): Fields =>
  Object.fromEntries(
    ['latency_ms', 'prompt_token_count', 'completion_token_count'].flatMap((key) =>
      textAt(row, key) === undefined ? [] : [[key, Number(row[key])]],
    ),
  );

/** A list in JSON; in CSV, columns such as `annotation_correct_score`. */
function annotationsOf(row: Fields): Fields[] {
  const listed = listAt(row, 'annotations').filter(isObject);
  const columns = new Map<string, Fields>();
  for (const [key, value] of Object.entries(row)) {
    const [, name, part] = /^annotations?[._](.+)[._](label|score|explanation)$/.exec(key) ?? [];
    if (name === undefined || value === '') continue;
    const cell = part === 'score' ? Number(value) : value;
    columns.set(name, { ...columns.get(name), name, [part!]: cell });
  }
  return [...listed, ...columns.values()];
}

function scoreOf(annotation: Fields, place: Place, { options, lose }: Reading): ScoreFacts[] {
  const shared = {
    name: textAt(annotation, 'name') ?? 'annotation',
    reasoning: textAt(annotation, 'explanation'),
    isByPeople: annotation.annotator_kind === 'HUMAN',
  };
  const error = textAt(annotation, 'error');
  const score = numberAt(annotation, 'score') ?? valueAt(annotation, 'score');
  if (typeof score === 'number' || typeof score === 'boolean')
    return [{ ...shared, rule: 'share', value: score }];
  const label = textAt(annotation, 'label');
  if (label !== undefined) return categoryValue(shared, label, options, place, lose);
  if (error !== undefined)
    lose(place, `The evaluator ${JSON.stringify(shared.name)} failed, which is no score.`);
  return [];
}

export const phoenix = defineFormat({
  name: 'phoenix',
  title: 'Phoenix dataset or experiment',
  detect(head) {
    const sketch = sketchOf(head);
    if (has(sketch, 'example_id', 'reference_output')) return 0.95;
    if (has(sketch, 'example_id')) return 0.85;
    return /"examples"\s*:/.test(sketch.text) && /"dataset_id"/.test(sketch.text) ? 0.9 : 0;
  },
  items,
});
