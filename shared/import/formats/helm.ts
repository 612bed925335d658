import { isObject } from '@assay/json/value';
import { defineFormat } from '../assemble.ts';
import type { Fields } from '../entity.ts';
import { ImportFailure, type Place } from '../failure.ts';
import type { Item, Reading, ScoreFacts } from '../item.ts';
import { checkJoin } from '../reading/join.ts';
import { readJson, readWholeJson } from '../reading/json-stream.ts';
import { defined, listAt, numberAt, objectAt, textAt, valueAt } from '../reading/json-values.ts';
import { baseName, type SourceFile } from '../source.ts';

/** The files of one run folder, by their names. */
type RunFolder = Map<string, SourceFile>;

/** Run folders of HELM, one or several. */
async function* items(reading: Reading): AsyncGenerator<Item> {
  const folders = new Map<string, RunFolder>();
  for (const file of reading.source.files) {
    const path = file.name.slice(0, file.name.length - baseName(file.name).length);
    const folder = folders.get(path) ?? new Map();
    folders.set(path, folder.set(baseName(file.name), file));
  }
  for (const [path, folder] of folders)
    if (isRunFolder(folder)) yield* runItems(path, folder, reading);
}

const isRunFolder = (folder: RunFolder): boolean =>
  folder.has('scenario_state.json') || folder.has('instances.json');

async function* runItems(path: string, folder: RunFolder, reading: Reading): AsyncGenerator<Item> {
  const { lose, options } = reading;
  const spec = folder.has('run_spec.json')
    ? await readWholeJson(folder.get('run_spec.json')!, lose)
    : undefined;
  const scenario = folder.has('scenario.json')
    ? await readWholeJson(folder.get('scenario.json')!, lose)
    : undefined;
  const name = textAt(spec, 'name') ?? (baseName(path.replace(/\/$/, '')) || 'HELM run');
  const task = textAt(scenario, 'name') ?? name.split(':')[0]!;
  const model = textAt(spec, 'adapter_spec', 'model') ?? 'model';
  const shared = {
    testset: { id: task, name: options.name ?? task, description: textAt(scenario, 'description') },
    system: { name: model, config: objectAt(spec, 'adapter_spec') ?? { model } },
    run: { id: name, name },
  };
  for await (const item of folder.has('scenario_state.json')
    ? stateItems(folder.get('scenario_state.json')!, reading)
    : predictionItems(folder, reading))
    yield { ...item, ...shared };
  const stats = folder.get('per_instance_stats.json');
  if (stats && folder.has('scenario_state.json'))
    for await (const item of statItems(stats, reading)) yield { ...item, ...shared };
}

/** A perturbed instance is a testcase of its own. */
function keyOf(id: string, perturbation: unknown): string {
  const name = textAt(perturbation, 'name');
  return name === undefined || name === 'identity' ? id : `${id}:${name}`;
}

function testcaseOf(instance: unknown): NonNullable<Item['testcase']> {
  const id = textAt(instance, 'id') ?? '';
  const references = listAt(instance, 'references');
  const correct = references.filter((reference) => listAt(reference, 'tags').includes('correct'));
  const textOf = (reference: unknown) =>
    textAt(reference, 'output', 'text') ?? textAt(reference, 'output');
  const answers = correct.map(textOf);
  return {
    key: keyOf(id, valueAt(instance, 'perturbation')),
    inputs: defined({
      input: textAt(instance, 'input', 'text') ?? valueAt(instance, 'input'),
      choices: references.length > correct.length ? references.map(textOf) : undefined,
    }),
    expected: answers.length > 0 ? { answer: answers.length === 1 ? answers[0] : answers } : {},
    metadata: defined({
      split: textAt(instance, 'split'),
      perturbation: valueAt(instance, 'perturbation'),
      importedId: id,
    }),
  };
}

async function* stateItems(file: SourceFile, { lose }: Reading): AsyncGenerator<Item> {
  const list = '/request_states';
  for await (const part of readJson(file, { lists: [list], lose })) {
    if (part.kind !== 'element') continue;
    const { value: state, place } = part;
    const testcase = testcaseOf(valueAt(state, 'instance'));
    const trial = textAt(state, 'train_trial_index') ?? '0';
    if (valueAt(state, 'reference_index') !== undefined)
      lose(place, 'Of the requests for each choice, the first of an instance is its answer.');
    yield { place, testcase, record: recordOf(state, `${testcase.key}:${trial}`) };
  }
}

function recordOf(state: unknown, id: string): NonNullable<Item['record']> {
  const completions = listAt(state, 'result', 'completions').map(
    (text) => textAt(text, 'text') ?? '',
  );
  const error = valueAt(state, 'result', 'success') === false;
  const seconds = numberAt(state, 'result', 'request_time');
  return {
    id,
    ...(error ? { error: textAt(state, 'result', 'error') ?? 'The request failed.' } : {}),
    outputs: error
      ? {}
      : defined({
          output: completions[0] ?? '',
          completions: completions.length > 1 ? completions : undefined,
          prompt: textAt(state, 'request', 'prompt'),
        }),
    ...(seconds === undefined ? {} : { metrics: { latencyMs: Math.round(seconds * 1000) } }),
  };
}

/** Older exports have predictions, whose instances stand in another file. */
async function* predictionItems(folder: RunFolder, { lose }: Reading): AsyncGenerator<Item> {
  const instancesFile = folder.get('instances.json')!;
  checkJoin([instancesFile]);
  const instances = new Map<string, NonNullable<Item['testcase']>>();
  for await (const part of readJson(instancesFile, { lists: [''], lose })) {
    if (part.kind !== 'element') continue;
    const testcase = testcaseOf(part.value);
    instances.set(testcase.key!, testcase);
    yield { place: part.place, testcase };
  }
  const predictions = folder.get('display_predictions.json');
  if (!predictions) return;
  for await (const part of readJson(predictions, { lists: [''], lose })) {
    if (part.kind !== 'element' || !isObject(part.value)) continue;
    const { value, place } = part;
    const key = keyOf(textAt(value, 'instance_id') ?? '', value.perturbation);
    const testcase = instances.get(key);
    if (!testcase)
      throw new ImportFailure(
        place,
        'names an instance that instances.json lacks: copy the folder again.',
      );
    const stats = Object.entries(objectAt(value, 'stats') ?? {});
    yield {
      place,
      testcase,
      record: {
        id: `${key}:${textAt(value, 'train_trial_index') ?? '0'}`,
        outputs: { output: textAt(value, 'predicted_text') ?? '' },
      },
      scores: stats.flatMap(([name, mean]) => scoreOf(name, mean, place, lose)),
    };
  }
}

async function* statItems(file: SourceFile, { lose }: Reading): AsyncGenerator<Item> {
  for await (const part of readJson(file, { lists: [''], lose })) {
    if (part.kind !== 'element') continue;
    const { value, place } = part;
    const key = keyOf(textAt(value, 'instance_id') ?? '', valueAt(value, 'perturbation'));
    yield {
      place,
      record: { id: `${key}:${textAt(value, 'train_trial_index') ?? '0'}` },
      scores: listAt(value, 'stats').flatMap((stat) =>
        scoreOf(textAt(stat, 'name', 'name') ?? '', meanOf(stat as Fields), place, lose),
      ),
    };
  }
}

function meanOf(stat: Fields): number | undefined {
  const [sum, count] = [numberAt(stat, 'sum'), numberAt(stat, 'count')];
  return numberAt(stat, 'mean') ?? (sum !== undefined && count ? sum / count : undefined);
}

/** Statistics that count tokens, time and choices, and measure no quality. */
const bookkeeping =
  /^(num_|max_prob|training_|inference_|prompt_truncated|finish_reason|batch_size|logprob|estimated_num|predicted_index|perplexity|bits_per)/;

function scoreOf(name: string, mean: unknown, place: Place, lose: Reading['lose']): ScoreFacts[] {
  if (typeof mean !== 'number') return [];
  if (!bookkeeping.test(name)) return [{ name, rule: 'share', value: mean }];
  lose(place, 'Statistics of tokens, time and choices stay behind.');
  return [];
}

const fileNames =
  /^(run_spec|scenario|instances|scenario_state|display_predictions|display_requests|per_instance_stats|stats)\.json$/;

export const helm = defineFormat({
  name: 'helm',
  title: 'HELM run folder',
  detect(head, name) {
    const { text } = sketchHead(head);
    if (
      fileNames.test(baseName(name)) &&
      /"(adapter_spec|request_states|instance_id|references)"/.test(text)
    )
      return 0.9;
    return 0;
  },
  items,
});

const sketchHead = (head: Uint8Array): { text: string } => ({
  text: new TextDecoder().decode(head.subarray(0, 16 * 1024)),
});
