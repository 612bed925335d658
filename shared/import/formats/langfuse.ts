import { defineFormat } from '../assemble.ts';
import type { Fields } from '../entity.ts';
import type { Place } from '../failure.ts';
import type { ImportOptions, Item, Reading, ScoreFacts, TestsetFacts } from '../item.ts';
import { checkJoin } from '../reading/join.ts';
import type { Lose } from '../reading/json-text.ts';
import {
  defined,
  fieldsOf,
  listAt,
  numberAt,
  objectAt,
  textAt,
  unwrapJson,
} from '../reading/json-values.ts';
import { type FoundObject, readObjects } from '../reading/objects.ts';
import { has, sketchOf } from '../reading/sketch.ts';
import { stemOf } from '../source.ts';
import { categoryValue } from './categories.ts';

/** Where answers of the API have lists. */
const lists = ['/data', '/items', '/datasetRunItems', '/scores', '/traces'];

/** The parts of runs, by their ids: filled only where the source has runs. */
interface JoinedParts {
  datasets: Map<string, Fields>;
  items: Map<string, HeldItem>;
  runs: { name: string; item: string; trace: string; startedAt: string | undefined }[];
  traces: Map<string, Fields>;
  scores: Map<string, Fields[]>;
}

interface HeldItem {
  dataset: string | undefined;
  testcase: NonNullable<Item['testcase']>;
}

const isItem = (value: Fields): boolean => 'expectedOutput' in value && !('dataType' in value);
const isRunItem = (value: Fields): boolean => 'datasetItemId' in value && 'traceId' in value;
const isScore = (value: Fields): boolean =>
  'traceId' in value && 'name' in value && 'value' in value;
const isTrace = (value: Fields): boolean => 'output' in value && 'id' in value && !isItem(value);
const isDataset = (value: Fields): boolean =>
  'name' in value &&
  ('inputSchema' in value || 'projectId' in value || 'expectedOutputSchema' in value);

/** Items of datasets; and runs of them, from the answers of the API for runs, traces and scores. */
async function* items(reading: Reading): AsyncGenerator<Item> {
  const { source, options, lose } = reading;
  const joined = await join(reading);
  const ids = new Set<string>();
  for (const file of source.files)
    for await (const { value, place, isTable } of readObjects(file, lists, lose)) {
      if (!isItem(value)) continue;
      const name = options.name ?? textAt(value, 'datasetName') ?? stemOf(file.name);
      const testset = testsetOf(joined.datasets.get(name), name);
      if (!ids.has(name)) yield { place, testset };
      ids.add(name);
      yield { place, testset, testcase: testcaseOf(value, isTable) };
    }
  yield* runsOf(joined, options, lose, source.files[0]?.name);
}

async function join({ source, lose }: Reading): Promise<JoinedParts> {
  const joined: JoinedParts = {
    datasets: new Map(),
    items: new Map(),
    runs: [],
    traces: new Map(),
    scores: new Map(),
  };
  if (source.files.length > 1) checkJoin(source.files);
  for (const file of source.files)
    for await (const found of readObjects(file, lists, lose))
      note(found, joined, source.files.length > 1);
  return joined;
}

/** Items alone are streamed: they are held where another file may have runs of them. */
function note({ value, isTable }: FoundObject, joined: JoinedParts, isHeld: boolean): void {
  const id = textAt(value, 'id') ?? '';
  if (isItem(value)) {
    if (isHeld)
      joined.items.set(id, {
        dataset: textAt(value, 'datasetName'),
        testcase: testcaseOf(value, isTable),
      });
  } else if (isRunItem(value))
    joined.runs.push({
      name: textAt(value, 'datasetRunName') ?? textAt(value, 'datasetRunId') ?? 'run',
      item: textAt(value, 'datasetItemId') ?? '',
      trace: textAt(value, 'traceId') ?? '',
      startedAt: textAt(value, 'createdAt'),
    });
  else if (isScore(value)) addScore(joined.scores, textAt(value, 'traceId') ?? '', value);
  else if (isDataset(value)) joined.datasets.set(textAt(value, 'name') ?? '', value);
  else if (isTrace(value)) {
    joined.traces.set(id, value);
    for (const score of listAt(value, 'scores')) addScore(joined.scores, id, score as Fields);
  }
}

function addScore(scores: Map<string, Fields[]>, trace: string, score: Fields): void {
  const known = scores.get(trace);
  if (known?.some((other) => other.id !== undefined && other.id === score.id)) return;
  if (known) known.push(score);
  else scores.set(trace, [score]);
}

/** The dataset's two schemas become properties of one. */
function testsetOf(dataset: Fields | undefined, name: string): TestsetFacts {
  const input = objectAt(dataset, 'inputSchema');
  const output = objectAt(dataset, 'expectedOutputSchema');
  return {
    id: name,
    name,
    description: textAt(dataset, 'description'),
    properties: objectAt(input, 'properties') ?? (input ? { input } : {}),
    expectedProperties:
      objectAt(output, 'properties') ?? (output ? { expectedOutput: output } : {}),
  };
}

/** Text that is JSON in quotes is unwrapped once: in a table it has been. */
function testcaseOf(item: Fields, isTable: boolean): NonNullable<Item['testcase']> {
  const unwrap = isTable ? (value: unknown) => value : unwrapJson;
  const id = textAt(item, 'id');
  return {
    ...(id === undefined ? {} : { key: id }),
    inputs: fieldsOf(unwrap(item.input), 'input'),
    expected: fieldsOf(unwrap(item.expectedOutput), 'expectedOutput'),
    metadata: defined({
      ...fieldsOf(unwrap(item.metadata), 'metadata'),
      status: item.status === 'ARCHIVED' ? 'ARCHIVED' : undefined,
      sourceTraceId: textAt(item, 'sourceTraceId'),
      sourceObservationId: textAt(item, 'sourceObservationId'),
      importedId: id,
    }),
  };
}

function* runsOf(
  { runs, traces, items: known, scores, datasets }: JoinedParts,
  options: ImportOptions,
  lose: Lose,
  file: string | undefined,
): Generator<Item> {
  for (const run of runs) {
    const trace = traces.get(run.trace);
    const item = known.get(run.item);
    const place: Place = { file };
    if (!trace || !item) {
      lose(place, `A run names ${trace ? 'an item' : 'a trace'} that no file has: export it too.`);
      continue;
    }
    const name = options.name ?? item.dataset ?? stemOf(file ?? '');
    yield {
      place,
      testset: testsetOf(datasets.get(name), name),
      testcase: item.testcase,
      system: { name: textAt(trace, 'name') ?? 'Langfuse', config: configOf(trace) },
      run: { id: run.name, name: run.name, startedAt: run.startedAt },
      record: {
        id: `${run.item}:${run.trace}`,
        outputs: fieldsOf(unwrapJson(trace.output) ?? '', 'output'),
        otelLinkId: run.trace,
        metrics: usageOf(trace),
        metadata: objectAt(trace, 'metadata'),
      },
      scores: (scores.get(run.trace) ?? []).flatMap((score) =>
        scoreOf(score, options, place, lose),
      ),
    };
  }
}

const configOf = (trace: Fields): Fields =>
  defined({
    name: textAt(trace, 'name'),
    release: textAt(trace, 'release'),
    version: textAt(trace, 'version'),
  });

function usageOf(trace: Fields): Record<string, number> {
  const seconds = numberAt(trace, 'latency');
  const cost = numberAt(trace, 'totalCost');
  return {
    ...(seconds === undefined ? {} : { latencyMs: Math.round(seconds * 1000) }),
    ...(cost === undefined ? {} : { costUsd: cost }),
  };
}

function scoreOf(score: Fields, options: ImportOptions, place: Place, lose: Lose): ScoreFacts[] {
  const name = textAt(score, 'name') ?? 'score';
  const shared = {
    name,
    reasoning: textAt(score, 'comment'),
    isByPeople: score.source === 'ANNOTATION',
  };
  const value = numberAt(score, 'value');
  if (score.dataType === 'CATEGORICAL') {
    const word = textAt(score, 'stringValue') ?? textAt(score, 'value') ?? '';
    return categoryValue(shared, word, options, place, lose);
  }
  if (value === undefined) return [];
  if (score.dataType === 'BOOLEAN') return [{ ...shared, rule: 'share', value: value === 1 }];
  return [{ ...shared, rule: 'scale', value }];
}

export const langfuse = defineFormat({
  name: 'langfuse',
  title: 'Langfuse dataset items, runs, traces and scores',
  detect(head) {
    const sketch = sketchOf(head);
    if (has(sketch, 'expectedOutput', 'input'))
      return has(sketch, 'datasetName') || has(sketch, 'sourceTraceId') ? 0.95 : 0.6;
    return /"(datasetRunItems|datasetRunName|datasetItemId|expectedOutputSchema)"/.test(sketch.text)
      ? 0.9
      : 0;
  },
  items,
});
