import { defineFormat } from '../assemble.ts';
import type { Fields } from '../entity.ts';
import type { Place } from '../failure.ts';
import type { Item, Reading, ScoreFacts } from '../item.ts';
import { checkJoin } from '../reading/join.ts';
import {
  defined,
  listAt,
  numberAt,
  objectAt,
  textAt,
  valueAt,
  without,
} from '../reading/json-values.ts';
import { readObjects } from '../reading/objects.ts';
import { has, sketchOf } from '../reading/sketch.ts';
import { readHead, type SourceFile, stemOf } from '../source.ts';

/** Samples and recordings of the repository openai/evals. */
async function* items({ source, options, lose }: Reading): AsyncGenerator<Item> {
  for (const file of source.files) {
    if (!/\.jsonl$/i.test(file.name)) continue;
    const name = options.name ?? nameOf(file.name);
    if (isRecording(await readHead(file))) yield* recordedItems(file, name, lose);
    else yield* sampleItems(file, name, lose);
  }
}

/** Data of an eval stands at `<eval>/samples.jsonl`. */
const nameOf = (path: string): string =>
  stemOf(path) === 'samples' ? path.split('/').slice(-2, -1).join('') || 'samples' : stemOf(path);

function isRecording(head: Uint8Array): boolean {
  const sketch = sketchOf(head);
  return has(sketch, 'spec') || has(sketch, 'sample_id', 'event_id');
}

async function* sampleItems(
  file: SourceFile,
  name: string,
  lose: Reading['lose'],
): AsyncGenerator<Item> {
  const testset = { id: file.name, name };
  yield { place: { file: file.name }, testset };
  for await (const { value, place } of readObjects(file, [], lose))
    yield {
      place,
      testset,
      testcase: {
        inputs: defined({ input: value.input }),
        expected: defined({ ideal: value.ideal }),
        metadata: without(value, 'input', 'ideal'),
      },
    };
}

/** All events of one sample. */
interface RecordedSample {
  id: string;
  place: Place;
  prompt?: unknown;
  sampled?: unknown;
  expected?: unknown;
  error?: unknown;
  scores: ScoreFacts[];
}

/** The events of samples that ran at once stand in each other's way: they are joined first. */
async function* recordedItems(
  file: SourceFile,
  name: string,
  lose: Reading['lose'],
): AsyncGenerator<Item> {
  checkJoin([file]);
  const samples = new Map<string, RecordedSample>();
  let spec: unknown;
  let runId = file.name;
  for await (const { value, place } of readObjects(file, [], lose)) {
    spec ??= objectAt(value, 'spec');
    const id = textAt(value, 'sample_id');
    if (id === undefined) continue;
    runId = textAt(value, 'run_id') ?? runId;
    const sample = samples.get(id) ?? { id, place, scores: [] };
    samples.set(id, sample);
    noteEvent(sample, value, lose);
  }
  const model = textAt(spec, 'completion_fns', 0) ?? textAt(spec, 'model_name') ?? 'model';
  const evalName = textAt(spec, 'base_eval') ?? textAt(spec, 'eval_name') ?? name;
  for (const sample of samples.values())
    yield {
      ...sampleItem(sample),
      testset: { id: evalName, name: evalName },
      system: { name: model, config: defined({ model, runConfig: valueAt(spec, 'run_config') }) },
      run: {
        id: textAt(spec, 'run_id') ?? runId,
        name: `${evalName} · ${model}`,
        startedAt: textAt(spec, 'created_at'),
      },
    };
}

function noteEvent(sample: RecordedSample, event: Fields, lose: Reading['lose']): void {
  const data = objectAt(event, 'data') ?? {};
  const type = textAt(event, 'type');
  if (type === 'sampling') {
    sample.prompt ??= data.prompt;
    sample.sampled =
      listAt(data, 'sampled').length === 1 ? listAt(data, 'sampled')[0] : data.sampled;
  } else if (type === 'match') {
    sample.expected = data.expected;
    if (data.picked !== undefined) sample.sampled ??= data.picked;
    if (typeof data.correct === 'boolean')
      sample.scores.push({ name: 'match', rule: 'share', value: data.correct });
  } else if (type === 'metrics') {
    for (const name of Object.keys(data)) {
      const value = numberAt(data, name) ?? data[name];
      if (typeof value === 'number' || typeof value === 'boolean')
        sample.scores.push({ name, rule: 'share', value });
    }
  } else if (type === 'error') sample.error = data.message ?? data;
  else lose(sample.place, `Events of type ${JSON.stringify(type ?? '')} stay behind.`);
}

function sampleItem({ id, place, prompt, sampled, expected, error, scores }: RecordedSample): Item {
  return {
    place,
    testcase: {
      key: id,
      inputs: defined({ input: prompt }),
      expected: defined({ ideal: expected }),
      metadata: { importedId: id },
    },
    record: {
      id,
      outputs: defined({ output: sampled ?? (error === undefined ? '' : undefined) }),
      error,
    },
    scores,
  };
}

export const evalsRepository = defineFormat({
  name: 'evals-repository',
  title: 'openai/evals samples and recordings',
  detect(head, name) {
    if (isRecording(head))
      return /"(completion_fns|event_id|sample_id)"/.test(sketchOf(head).text) ? 0.9 : 0;
    const sketch = sketchOf(head);
    return has(sketch, 'input', 'ideal') ? (stemOf(name) === 'samples' ? 0.9 : 0.8) : 0;
  },
  items,
});
