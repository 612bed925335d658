import { isObject } from '@assay/json/value';
import { defineFormat } from '../assemble.ts';
import type { Fields } from '../entity.ts';
import { ImportFailure, type Place } from '../failure.ts';
import type { Item, Reading, ScoreFacts } from '../item.ts';
import { readJson, readWholeJson } from '../reading/json-stream.ts';
import {
  defined,
  fieldsOf,
  listAt,
  numberAt,
  objectAt,
  plainNumber,
  saidAt,
  textAt,
  valueAt,
} from '../reading/json-values.ts';
import { has, sketchOf } from '../reading/sketch.ts';
import { isZip, openZip } from '../reading/zip.ts';
import { readHead, type SourceFile, stemOf } from '../source.ts';

/** Transcripts of events are no part of a record. */
const transcripts = ['/events', '/events_data/messages', '/events_data/calls', '/timelines'];

/** Logs of `inspect eval`: `.eval` archives and `.json` documents. */
async function* items(reading: Reading): AsyncGenerator<Item> {
  for (const file of reading.source.files) {
    const log = isZip(await readHead(file))
      ? archiveSamples(file, reading)
      : documentSamples(file, reading);
    const { value: header } = await log.next();
    const shared = sharedOf(header as Fields, file, reading);
    yield { place: { file: file.name }, ...shared };
    for await (const part of log) {
      const { value, place } = part as { value: unknown; place: Place };
      if (isObject(value)) yield { ...sampleItem(value, place, reading), ...shared };
    }
  }
}

/** A log yields its header first, then its samples. */
type LogParts = AsyncGenerator<Fields | { value: unknown; place: Place }, void>;

async function* archiveSamples(file: SourceFile, { lose }: Reading): LogParts {
  const members = await openZip(file);
  const header = members.get('header.json') ?? members.get('_journal/start.json');
  if (!header)
    throw new ImportFailure(
      { file: file.name },
      'is a zip archive, but no log of Inspect: it has no header.json.',
    );
  yield ((await readWholeJson(header, lose)) ?? {}) as Fields;
  for (const [name, member] of members) {
    if (!/^samples\/.*\.json$/.test(name)) continue;
    for await (const part of readJson(member, { lists: [], skipped: transcripts, lose }))
      yield { value: (part as { value: unknown }).value, place: { file: member.name } };
  }
}

/** The header stands around the samples, so that it is read first and alone. */
async function* documentSamples(file: SourceFile, { lose }: Reading): LogParts {
  for await (const part of readJson(file, {
    lists: [],
    skipped: ['/samples', '/reductions'],
    lose: () => undefined,
  }))
    yield ((part as { value: unknown }).value ?? {}) as Fields;
  for await (const part of readJson(file, { lists: ['/samples'], skipped: ['/reductions'], lose }))
    if (part.kind === 'element') yield { value: part.value, place: part.place };
}

function sharedOf(header: Fields, file: SourceFile, { options, lose }: Reading): Partial<Item> {
  const version = numberAt(header, 'version');
  if (!objectAt(header, 'eval') || (version !== undefined && version > 2))
    throw new ImportFailure(
      { file: file.name },
      'is no log of Inspect of version 1 or 2: convert it by "inspect log convert" first.',
    );
  const evaluation = objectAt(header, 'eval')!;
  const task = textAt(evaluation, 'task') ?? stemOf(file.name);
  const model = textAt(evaluation, 'model') ?? 'model';
  const status = textAt(header, 'status') ?? 'started';
  if (status !== 'success')
    lose(
      { file: file.name },
      `The run did not end (status ${JSON.stringify(status)}): it is incomplete.`,
    );
  return {
    testset: {
      id: `${task}:${textAt(evaluation, 'dataset', 'name') ?? ''}`,
      name: options.name ?? textAt(evaluation, 'dataset', 'name') ?? task,
    },
    system: {
      name: model,
      config: defined({
        model,
        generate: valueAt(evaluation, 'model_generate_config'),
        taskArgs: valueAt(evaluation, 'task_args'),
        solver: valueAt(evaluation, 'solver'),
        steps: valueAt(header, 'plan', 'steps'),
        revision: valueAt(evaluation, 'revision'),
      }),
    },
    run: {
      id: textAt(evaluation, 'eval_id') ?? textAt(evaluation, 'run_id') ?? file.name,
      name: `${task} · ${model}`,
      labels: {
        task,
        taskVersion: textAt(evaluation, 'task_version'),
        status,
        commit: textAt(evaluation, 'revision', 'commit'),
      },
      startedAt: textAt(evaluation, 'created'),
    },
  };
}

function sampleItem(sample: Fields, place: Place, { lose }: Reading): Item {
  const resolve = createResolver(objectAt(sample, 'attachments') ?? {});
  const id = textAt(sample, 'id') ?? place.file ?? '';
  const epoch = textAt(sample, 'epoch') ?? '1';
  const error = saidAt(sample, 'error');
  const scores = Object.entries(objectAt(sample, 'scores') ?? {});
  const answers = scores.flatMap(([, score]) => textAt(score, 'answer') ?? []);
  const messages = resolve(valueAt(sample, 'messages'));
  return {
    place,
    testcase: {
      key: id,
      inputs: defined({
        ...fieldsOf(resolve(sample.input), 'input'),
        choices: valueAt(sample, 'choices') ?? undefined,
      }),
      expected: fieldsOf(resolve(sample.target), 'target'),
      metadata: { ...objectAt(sample, 'metadata'), importedId: id },
    },
    record: {
      id: `${id}:${epoch}`,
      outputs: defined({
        completion: completionOf(sample, resolve),
        answer: answers[0],
        messages: Array.isArray(messages) && messages.length > 0 ? messages : undefined,
      }),
      error,
      metrics: usageOf(sample),
      metadata: { epoch: Number(epoch) },
    },
    scores: scores.flatMap(([name, score]) => scoresOf(name, score, place, lose)),
    annotations: scores.flatMap(([name, score]) => earlierOf(name, score)),
  };
}

/** Long texts stand once, as \`attachment://<hash>\`. */
function createResolver(attachments: Fields): (value: unknown) => unknown {
  function resolve(value: unknown): unknown {
    if (typeof value === 'string') {
      const [, hash] = /^(?:tc-)?attachment:\/\/([0-9a-f]+)$/.exec(value) ?? [];
      return hash === undefined ? value : (valueAt(attachments, hash) ?? value);
    }
    if (Array.isArray(value)) return value.map(resolve);
    if (!isObject(value)) return value;
    return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, resolve(item)]));
  }
  return resolve;
}

function completionOf(sample: Fields, resolve: (value: unknown) => unknown): unknown {
  const completion = resolve(valueAt(sample, 'output', 'completion'));
  if (completion !== undefined && completion !== '') return completion;
  const content = resolve(valueAt(sample, 'output', 'choices', 0, 'message', 'content'));
  if (typeof content === 'string') return content;
  return listAt({ content }, 'content')
    .flatMap((part) => textAt(part, 'text') ?? [])
    .join('');
}

function usageOf(sample: Fields): Record<string, number> {
  const usages = Object.values(objectAt(sample, 'model_usage') ?? {});
  const sum = (key: string) =>
    usages.reduce<number>((total, usage) => total + (numberAt(usage, key) ?? 0), 0);
  const seconds = numberAt(sample, 'total_time');
  return {
    ...(seconds === undefined ? {} : { latencyMs: Math.round(seconds * 1000) }),
    ...(usages.length === 0
      ? {}
      : { inputTokens: sum('input_tokens'), outputTokens: sum('output_tokens') }),
  };
}

function scoresOf(name: string, score: unknown, place: Place, lose: Reading['lose']): ScoreFacts[] {
  const reasoning = textAt(score, 'explanation');
  const value = valueAt(score, 'value');
  if (isObject(value))
    return Object.entries(value).flatMap(([key, part]) =>
      scoreOf(`${name}: ${key}`, part, reasoning, place, lose),
    );
  return scoreOf(name, value, reasoning, place, lose);
}

/** C, P and I are correct, partially correct and incorrect; N is no answer. */
const letters: Record<string, boolean | number | null> = { C: true, I: false, P: 0.5, N: null };

function scoreOf(
  name: string,
  given: unknown,
  reasoning: string | undefined,
  place: Place,
  lose: Reading['lose'],
): ScoreFacts[] {
  const value = plainNumber(given);
  if (typeof value === 'boolean' || typeof value === 'number')
    return [{ name, rule: 'share', value, reasoning }];
  // NaN marks a sample that the scorer left unscored.
  if (value === null || value === undefined) return [];
  if (typeof value === 'string' && Object.hasOwn(letters, value))
    return [{ name, rule: 'share', value: letters[value]!, reasoning }];
  lose(
    place,
    `The scorer ${JSON.stringify(name)} gave ${typeof value === 'string' ? 'a word' : 'a list'}, which is no score here.`,
  );
  return [];
}

/** Scores that were edited: the newest counts, the earlier ones are noted. */
function earlierOf(name: string, score: unknown): { comment: string }[] {
  return listAt(score, 'history')
    .slice(0, -1)
    .map((edit) => ({
      comment: `${name} was ${JSON.stringify(valueAt(edit, 'value'))} before it was edited.`,
    }));
}

/** The names of members stand uncompressed before them. */
const hasLogMembers = (head: Uint8Array): boolean =>
  /_journal\/start\.json|header\.json/.test(new TextDecoder('latin1').decode(head));

export const inspect = defineFormat({
  name: 'inspect',
  title: 'Inspect log (.eval or .json)',
  detect(head, name) {
    if (isZip(head)) return /\.eval$/i.test(name) || hasLogMembers(head) ? 0.95 : 0;
    const sketch = sketchOf(head);
    return sketch.shape === 'object' && has(sketch, 'version', 'eval') ? 0.95 : 0;
  },
  items,
});
