import { isValueOf, statedScale } from '@assay/contracts/scale';
import { isObject } from '@assay/json/value';
import { defineFormat } from '../assemble.ts';
import type { Fields, MetricBody } from '../entity.ts';
import type { Place } from '../failure.ts';
import type { Item, Reading, TestsetFacts } from '../item.ts';
import {
  defined,
  listAt,
  numberAt,
  numbers,
  objectAt,
  only,
  textAt,
  valueAt,
  without,
} from '../reading/json-values.ts';
import { readObjects } from '../reading/objects.ts';
import { sketchOf } from '../reading/sketch.ts';
import { stemOf } from '../source.ts';
import { judgeOf } from './judge.ts';

/** Where answers of the API have lists. */
const lists = ['/data', '/output_items', '/output_items/data'];

/**
 * The raw answers of the Evals API: an eval, its runs and their output items, in one file or
 * several, alone, in lists, or under the keys `eval`, `run` and `output_items`.
 */
async function* items({ source, options, lose }: Reading): AsyncGenerator<Item> {
  const objects = { eval: undefined as unknown, runs: new Map<string, Fields>() };
  for (const file of source.files)
    for await (const { value } of readObjects(file, lists, lose)) noteObject(value, objects);
  const name = options.name ?? textAt(objects.eval, 'name') ?? stemOf(source.name);
  const id = textAt(objects.eval, 'id') ?? source.name;
  const testset = { ...schemaOf(objects.eval), name, id };
  const place = { file: source.files[0]?.name };
  const references = referencesOf(objects.eval);
  yield { place, testset, metrics: metricsOf(objects.eval, place, lose) };
  for (const file of source.files)
    for await (const { value, place: at } of readObjects(file, lists, lose))
      if (isOutputItem(value)) yield { ...itemOf(value, at, objects.runs, references), testset };
}

const isOutputItem = (value: unknown): value is Fields =>
  isObject(value) &&
  (value.object === 'eval.run.output_item' || ('datasource_item' in value && 'sample' in value));

function noteObject(value: unknown, objects: { eval: unknown; runs: Map<string, Fields> }): void {
  if (!isObject(value)) return;
  if (value.object === 'eval' || 'testing_criteria' in value) objects.eval = value;
  else if (value.object === 'eval.run') objects.runs.set(textAt(value, 'id') ?? '', value);
  for (const key of ['eval', 'run']) noteObject(value[key], objects);
  for (const run of listAt(value, 'runs')) noteObject(run, objects);
}

/** The schema of items, whose properties are inputs but for those that graders compare with. */
function schemaOf(
  evaluation: unknown,
): Pick<TestsetFacts, 'properties' | 'expectedProperties' | 'required'> {
  const source = objectAt(evaluation, 'data_source_config');
  const schema =
    objectAt(source, 'item_schema') ?? objectAt(source, 'schema', 'properties', 'item');
  const references = referencesOf(evaluation);
  const required = listAt(schema, 'required').filter((key) => typeof key === 'string');
  return {
    properties: without(objectAt(schema, 'properties') ?? {}, ...references),
    expectedProperties: only(objectAt(schema, 'properties') ?? {}, ...references),
    ...(required.length > 0 ? { required } : {}),
  };
}

/** The fields of items that graders compare with: they are expected values. */
const referencesOf = (evaluation: unknown): string[] =>
  listAt(evaluation, 'testing_criteria').flatMap((criterion) => {
    const isText = ['string_check', 'text_similarity'].includes(textAt(criterion, 'type') ?? '');
    return isText ? fieldOf(textAt(criterion, 'reference')).split('/').slice(1, 2) : [];
  });

function itemOf(item: Fields, place: Place, runs: Map<string, Fields>, references: string[]): Item {
  const runId = textAt(item, 'run_id') ?? '';
  const run = runs.get(runId);
  const model = textAt(run, 'model') ?? textAt(item, 'sample', 'model') ?? 'model';
  const key = textAt(item, 'datasource_item_id') ?? textAt(item, 'id');
  const created = numberAt(run, 'created_at');
  const error = objectAt(item, 'sample', 'error');
  const isFailed = error !== undefined && Object.values(error).some((text) => text);
  return {
    place,
    testcase: {
      ...(key === undefined ? {} : { key }),
      inputs: without(objectAt(item, 'datasource_item') ?? {}, ...references),
      expected: only(objectAt(item, 'datasource_item') ?? {}, ...references),
    },
    system: {
      name: model,
      config: defined({
        model,
        prompt: valueAt(run, 'data_source', 'input_messages'),
        parameters: valueAt(run, 'data_source', 'sampling_params'),
      }),
    },
    run: {
      id: runId,
      name: textAt(run, 'name') ?? model,
      labels: { status: textAt(run, 'status') },
      ...(created === undefined ? {} : { startedAt: new Date(created * 1000).toISOString() }),
    },
    record: {
      id: textAt(item, 'id') ?? key,
      outputs: isFailed ? {} : outputsOf(item),
      ...(isFailed ? { error } : {}),
      metrics: numbers(valueAt(item, 'sample', 'usage'), {
        inputTokens: ['prompt_tokens'],
        outputTokens: ['completion_tokens'],
      }),
    },
    scores: listAt(item, 'results').flatMap(scoresOf),
  };
}

function outputsOf(item: Fields): Fields {
  const messages = listAt(item, 'sample', 'output');
  return defined({ messages, output: contentOf(valueAt(messages.at(-1), 'content')) ?? '' });
}

/** The text of a message, also where it is a list of parts. */
function contentOf(content: unknown): string | undefined {
  if (typeof content === 'string') return content;
  const parts = [content].flat().flatMap((part) => textAt(part, 'text') ?? []);
  return parts.length > 0 ? parts.join('') : undefined;
}

function scoresOf(result: unknown): NonNullable<Item['scores']> {
  const name = (textAt(result, 'name') ?? 'grader').replace(/-[0-9a-f]{8}-[0-9a-f-]{27}$/, '');
  const passed = valueAt(result, 'passed');
  const score = numberAt(result, 'score');
  return [
    ...(typeof passed === 'boolean' ? [{ name, rule: 'share' as const, value: passed }] : []),
    ...(score === undefined || score === 0 || score === 1
      ? []
      : [{ name: `${name} score`, rule: 'float' as const, value: score }]),
  ];
}

function metricsOf(evaluation: unknown, place: Place, lose: Reading['lose']): MetricBody[] {
  return listAt(evaluation, 'testing_criteria').flatMap((criterion, index) => {
    const name = textAt(criterion, 'name') ?? `grader ${index + 1}`;
    const body = metricOf(name, criterion);
    if (!body)
      lose(
        place,
        `The grader ${JSON.stringify(name)} of type ${JSON.stringify(textAt(criterion, 'type') ?? '')} has no metric here; its scores are kept.`,
      );
    return body ? [body] : [];
  });
}

/** The field of the item that a template such as `{{ item.answer }}` names. */
const fieldOf = (template: string | undefined): string =>
  `/${/\{\{\s*item\.([\w.]+)\s*\}\}/.exec(template ?? '')?.[1]?.replaceAll('.', '/') ?? ''}`;

function metricOf(name: string, criterion: unknown): MetricBody | undefined {
  const type = textAt(criterion, 'type');
  if (type === 'label_model' || type === 'score_model') return judge(name, criterion, type);
  const shared = { name, evalType: 'heuristic' as const, guidelines: '' };
  if (type === 'python')
    return {
      ...shared,
      outputType: 'float',
      code: { language: 'python', source: pythonOf(textAt(criterion, 'source') ?? '') },
      ...thresholdOf(criterion),
    };
  const evaluator = evaluatorOf(criterion, type);
  if (!evaluator) return undefined;
  const options = { output: '/output', expected: fieldOf(textAt(criterion, 'reference')) };
  const builtin = { name: evaluator.name, options: { ...options, ...evaluator.options } };
  return evaluator.isShare
    ? { ...shared, outputType: 'float', builtin, ...thresholdOf(criterion) }
    : { ...shared, outputType: 'boolean', builtin };
}

function evaluatorOf(
  criterion: unknown,
  type: string | undefined,
): { name: string; options?: Fields; isShare?: boolean } | undefined {
  const ignoreCase = { ignoreCase: true };
  if (type === 'string_check')
    return {
      eq: { name: 'exact_match' },
      like: { name: 'contains' },
      ilike: { name: 'contains', options: ignoreCase },
    }[textAt(criterion, 'operation') ?? ''];
  if (type === 'text_similarity')
    return {
      rouge_l: { name: 'rouge_l', isShare: true },
      fuzzy_match: { name: 'levenshtein', isShare: true },
    }[textAt(criterion, 'evaluation_metric') ?? ''];
  return undefined;
}

/** The scale of a grader, where its range is not 0 to 1, and its threshold. */
function thresholdOf(criterion: unknown): Pick<MetricBody, 'min' | 'max' | 'passingThreshold'> {
  const threshold = numberAt(criterion, 'pass_threshold');
  const metric = { outputType: 'float' as const, ...rangeOf(criterion) };
  const isOnScale = threshold !== undefined && isValueOf(metric, threshold);
  return { ...statedScale(metric), ...(isOnScale ? { passingThreshold: threshold } : {}) };
}

/** The two ends of a grader's `range`; none where it has no such two numbers. */
function rangeOf(criterion: unknown): { min?: number; max?: number } {
  const [min, max] = listAt(criterion, 'range');
  return typeof min === 'number' && typeof max === 'number' && min < max ? { min, max } : {};
}

const pythonOf = (source: string): string => `${source}


def evaluate(record):
    return float(grade({"output_text": record["outputs"].get("output")}, record["inputs"]))
`;

function judge(
  name: string,
  criterion: unknown,
  type: 'label_model' | 'score_model',
): MetricBody | undefined {
  const isScored = type === 'score_model';
  if (isScored && listAt(criterion, 'range').length > 0 && rangeOf(criterion).min === undefined)
    return undefined;
  const text = listAt(criterion, 'input')
    .map((message) => contentOf(valueAt(message, 'content')) ?? '')
    .join('\n\n');
  const passing = listAt(criterion, 'passing_labels').join(', ');
  const body = judgeOf({
    name,
    model: textAt(criterion, 'model'),
    outputType: isScored ? 'float' : 'boolean',
    guidelines: passing ? `${text}\n\nIt passes for these labels: ${passing}.` : text,
  });
  return isScored ? { ...body, ...thresholdOf(criterion) } : body;
}

export const openaiEvals = defineFormat({
  name: 'openai-evals',
  title: 'OpenAI Evals, raw JSON of its API',
  detect(head) {
    const { text, keys } = sketchOf(head);
    if (/"object"\s*:\s*"eval(\.run(\.output_item)?)?"/.test(text)) return 0.95;
    return keys.has('datasource_item') || keys.has('testing_criteria') ? 0.8 : 0;
  },
  items,
});
