import { defineFormat } from '../assemble.ts';
import type { Fields } from '../entity.ts';
import type { Place } from '../failure.ts';
import type { Item, Reading, ScoreFacts } from '../item.ts';
import { readWholeJson } from '../reading/json-stream.ts';
import {
  defined,
  fieldsOf,
  listAt,
  objectAt,
  plainNumber,
  textAt,
  valueAt,
} from '../reading/json-values.ts';
import { readObjects } from '../reading/objects.ts';
import { has, sketchOf } from '../reading/sketch.ts';
import { baseName, readHead, type SourceFile } from '../source.ts';

/** Keys of a sample that are no values of metrics. */
const ownKeys = new Set([
  'doc_id',
  'doc',
  'target',
  'arguments',
  'resps',
  'filtered_resps',
  'filter',
  'metrics',
  'doc_hash',
  'prompt_hash',
  'target_hash',
]);

/** The samples that `lm_eval --log_samples` writes, with the results beside them. */
async function* items(reading: Reading): AsyncGenerator<Item> {
  const { source, options, lose } = reading;
  const results = new Map<string, unknown>();
  const samples: SourceFile[] = [];
  for (const file of source.files)
    if (isSamples(await readHead(file))) samples.push(file);
    else if (file.name.endsWith('.json'))
      results.set(folderOf(file.name), await readWholeJson(file, lose));
  for (const file of samples) {
    const result = results.get(folderOf(file.name));
    const shared = sharedOf(file, result, options.name);
    const directions = objectAt(result, 'higher_is_better', shared.testset.id);
    yield { place: { file: file.name }, ...shared };
    for await (const { value, place } of readObjects(file, [], lose))
      yield { ...sampleItem(value, place, directions), ...shared };
  }
}

const isSamples = (head: Uint8Array): boolean => has(sketchOf(head), 'doc_id', 'doc');

const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')));

function sharedOf(file: SourceFile, results: unknown, name: string | undefined) {
  const [, task = 'samples', date] =
    /^samples_(.*?)(?:_(\d{4}-\d\d-\d\dT[\d.:-]+))?\.jsonl?$/.exec(baseName(file.name)) ?? [];
  const model =
    textAt(results, 'model_name') ??
    textAt(results, 'config', 'model') ??
    (baseName(folderOf(file.name)).replace('__', '/') || 'model');
  return {
    testset: { id: task, name: name ?? task },
    system: {
      name: model,
      config: defined({
        model,
        ...objectAt(results, 'config'),
        task: valueAt(results, 'configs', task),
      }),
    },
    run: {
      id: `${model}:${task}:${date ?? file.name}`,
      name: `${task} · ${model}`,
      labels: { task, commit: textAt(results, 'git_hash') },
    },
  };
}

function sampleItem(sample: Fields, place: Place, directions: Fields | undefined): Item {
  const id = textAt(sample, 'doc_id') ?? '';
  const filter = textAt(sample, 'filter');
  const prompt =
    valueAt(sample, 'arguments', 'gen_args_0', 'arg_0') ?? valueAt(sample, 'arguments', 0, 0);
  return {
    place,
    testcase: {
      key: id,
      inputs: defined({ ...fieldsOf(sample.doc, 'doc'), prompt }),
      expected: fieldsOf(sample.target, 'target'),
      metadata: defined({
        doc_hash: textAt(sample, 'doc_hash'),
        prompt_hash: textAt(sample, 'prompt_hash'),
        target_hash: textAt(sample, 'target_hash'),
        importedId: id,
      }),
    },
    record: {
      id,
      outputs: defined({
        response: listAt(sample, 'filtered_resps')[0] ?? null,
        resps: sample.resps,
      }),
    },
    scores: scoresOf(sample, filter, directions),
  };
}

/** The metrics of a filter have its name behind theirs. The results say of which less is better. */
function scoresOf(
  sample: Fields,
  filter: string | undefined,
  directions: Fields | undefined,
): ScoreFacts[] {
  const named = listAt(sample, 'metrics').filter((name) => typeof name === 'string');
  const names = named.length > 0 ? named : Object.keys(sample).filter((name) => !ownKeys.has(name));
  return names.flatMap((name): ScoreFacts[] => {
    const value = plainNumber(valueAt(sample, name));
    if (typeof value !== 'number' && typeof value !== 'boolean') return [];
    const label = filter === undefined || filter === 'none' ? name : `${name}, ${filter}`;
    const direction = directions?.[name] === false ? { lowerIsBetter: true as const } : {};
    return [{ name: label, rule: 'share', value, ...direction }];
  });
}

export const lmEval = defineFormat({
  name: 'lm-evaluation-harness',
  title: 'lm-evaluation-harness samples and results',
  detect(head, name) {
    const sketch = sketchOf(head);
    if (has(sketch, 'doc_id', 'doc')) return 0.95;
    return /^results_.*\.json$/.test(baseName(name)) && has(sketch, 'results') ? 0.8 : 0;
  },
  items,
});
