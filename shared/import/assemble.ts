import type { Entity, Fields, RecordEntity, ScoreEntity, TestcaseEntity } from './entity.ts';
import type { Place } from './failure.ts';
import type { Format, ImportOptions, Item, Reading, TestcaseFacts } from './item.ts';
import { createLosses, type Losses } from './losses.ts';
import { metricOf, scoreOf } from './metric-rules.ts';
import { metadataCharactersMax } from './reading/limits.ts';
import { readHead, type Source } from './source.ts';
import { roles, type Survey, surveyItems, testsetId } from './survey.ts';
import { systemErrorOf } from './system-error.ts';

interface FormatDefinition extends Pick<Format, 'name' | 'title' | 'isTable' | 'detect'> {
  /** The rows of a source, in its order; the same ones each time. */
  items(reading: Reading): AsyncIterable<Item>;
}

/**
 * A format by its rows. Its reader goes over the source twice: the first time it learns the fields,
 * the metrics and the faults, so that a damaged source fails before anything is handed out.
 */
export const defineFormat = ({ items, ...format }: FormatDefinition): Format => ({
  ...format,
  read: (source, options = {}) => readItems(format, items, source, options),
});

async function* readItems(
  format: Pick<Format, 'name' | 'title'>,
  items: FormatDefinition['items'],
  source: Source,
  options: ImportOptions,
): AsyncGenerator<Entity> {
  const losses = createLosses();
  const survey = await surveyItems(items({ source, options, lose: losses.lose }), losses);
  yield* headEntities(survey, format, options);
  const rows = createRows(survey, format.name, await fingerprintOf(source), losses);
  for await (const item of items({ source, options, lose: () => undefined })) yield* rows(item);
  yield* losses.list();
}

const nameCharactersMax = 256;

/** A name that the service takes: cut, and without halves of surrogate pairs. */
const nameOf = (text: string): string =>
  [...text.toWellFormed().trim()].slice(0, nameCharactersMax).join('') || 'Imported';

function* headEntities(
  survey: Survey,
  { name: importedFrom, title }: Pick<Format, 'name' | 'title'>,
  { importedAt }: ImportOptions,
): Generator<Entity> {
  for (const { ref, name, facts, names } of survey.testsets.values()) {
    const fields = roles.flatMap((role) => [...names[role].values()]);
    yield {
      kind: 'testset',
      ref,
      name: nameOf(name),
      description: facts.description ?? `Imported: ${title}.`,
      jsonSchema: {
        type: 'object',
        properties: {
          ...Object.fromEntries(fields.map((field) => [field, {}])),
          ...facts.properties,
          ...renamed(facts.expectedProperties ?? {}, names.expected),
        },
        ...(facts.required ? { required: facts.required } : {}),
      },
      fieldMapping: {
        inputs: [...names.inputs.values()],
        expected: [...names.expected.values()],
        metadata: [...names.metadata.values()],
      },
    };
  }
  for (const [name, body] of survey.definitions)
    yield { kind: 'metric', ref: metricRef(name), body: { ...body, name: nameOf(name) } };
  for (const [name, { summary, outputType }] of survey.scored)
    if (outputType) {
      // A metric that the source defines would score the imported records again.
      const label = survey.definitions.has(name) ? `${name} (imported)` : name;
      yield {
        kind: 'metric',
        ref: scoredRef(name),
        body: metricOf(nameOf(label), outputType, summary, title),
      };
    }
  for (const system of survey.systems.values())
    yield { kind: 'system', ...system, name: nameOf(system.name) };
  for (const { ref, facts, testset, system, metrics, answers } of survey.runs.values())
    yield {
      kind: 'run',
      ref,
      name: nameOf(facts.name),
      ...(testset === undefined ? {} : { testset }),
      ...(system === undefined ? {} : { system }),
      metrics: [...metrics].filter((name) => survey.scored.get(name)?.outputType).map(scoredRef),
      labels: labelsOf({ ...facts.labels, importedFrom, importedId: facts.id, importedAt }),
      ...instantOf(facts.startedAt),
      ...(facts.column === undefined ? {} : { column: facts.column, answers: answers.size }),
    };
}

/** A moment as the service writes it; nothing for text that is none. */
function instantOf(text: string | undefined): { startedAt?: string } {
  const time = Date.parse(text ?? '');
  return Number.isNaN(time) ? {} : { startedAt: new Date(time).toISOString() };
}

const metricRef = (name: string): string => `metric:${name}`;
const scoredRef = (name: string): string => `scored:${name}`;

const labelsOf = (labels: Record<string, string | undefined>): Record<string, string> =>
  Object.fromEntries(
    Object.entries(labels).flatMap(([key, value]) => (value ? [[key, nameOf(value)]] : [])),
  );

/** Makes the entities of a row, in the second pass. */
function createRows(survey: Survey, format: string, fingerprint: string, { lose }: Losses) {
  const testcaseKeys = new Map<string, Set<string>>();
  const recordIds = new Map<string, Set<string>>();
  let row = -1;

  /** False for a value that was there before. */
  function isFirst(seen: Map<string, Set<string>>, group: string, value: string): boolean {
    const values = seen.get(group) ?? new Set();
    seen.set(group, values);
    return values.size < values.add(value).size;
  }

  function* testcaseOf(item: Item): Generator<TestcaseEntity> {
    if (!item.testcase || !item.testset) return;
    const { ref } = survey.testsets.get(testsetId(item.testset))!;
    const { key, isPartial } = item.testcase;
    if (key !== undefined && !isFirst(testcaseKeys, ref, key)) {
      if (!item.run)
        lose(item.place, 'A testcase has the key of an earlier one, which was kept alone.');
      return;
    }
    yield {
      kind: 'testcase',
      testset: ref,
      ...(key === undefined ? {} : { key: keyOf(key) }),
      // Spreading keeps a field named __proto__, which assigning would not.
      jsonData: {
        ...carried(survey, item, 'inputs'),
        ...carried(survey, item, 'expected'),
        ...carried(survey, item, 'metadata'),
      },
      ...(isPartial ? { isPartial } : {}),
    };
  }

  function* recordOf(item: Item, run: string, clientId: string): Generator<RecordEntity> {
    const { record, testcase, testset } = item;
    if (!record?.outputs || !isFirst(recordIds, run, clientId)) return;
    yield {
      kind: 'record',
      run,
      clientId,
      ...(testset ? { testset: survey.testsets.get(testsetId(testset))!.ref } : {}),
      ...(testcase?.key === undefined ? {} : { testcaseKey: keyOf(testcase.key) }),
      inputs: carried(survey, item, 'inputs'),
      expected: carried(survey, item, 'expected'),
      outputs: record.outputs,
      ...(record.error === undefined ? {} : { error: systemErrorOf(record.error) }),
      tags: (record.tags ?? []).slice(0, 50).map(nameOf),
      ...(record.otelLinkId ? { otelLinkId: record.otelLinkId } : {}),
      ...(Object.keys(record.metrics ?? {}).length > 0 ? { metrics: record.metrics } : {}),
      ...metadataOf(record.metadata, item.place),
    };
  }

  function metadataOf(metadata: Fields | undefined, place: Place): { metadata?: Fields } {
    if (!metadata || Object.keys(metadata).length === 0) return {};
    if (JSON.stringify(metadata).length <= metadataCharactersMax) return { metadata };
    lose(place, 'The metadata of a record is larger than 16 KiB, and stays behind.');
    return {};
  }

  function* scoresOf(item: Item, run: string, record: string): Generator<ScoreEntity> {
    for (const score of item.scores ?? []) {
      const outputType = survey.scored.get(score.name)?.outputType;
      if (outputType)
        yield {
          kind: 'score',
          run,
          record,
          metric: scoredRef(score.name),
          score: scoreOf(score, outputType),
        };
    }
  }

  return function* entitiesOf(item: Item): Generator<Entity> {
    row += 1;
    yield* testcaseOf(item);
    if (!item.run || !item.record) return;
    const run = survey.runs.get(item.run.id)!.ref;
    const clientId = keyOf(`${format}:${item.record.id ?? `${fingerprint}:${row}`}`);
    yield* recordOf(item, run, clientId);
    if (!recordIds.get(run)?.has(clientId)) {
      if (item.scores?.length) lose(item.place, 'Scores are of a record that the source lacks.');
      return;
    }
    yield* scoresOf(item, run, clientId);
    for (const annotation of item.annotations ?? [])
      yield { kind: 'annotation', run, record: clientId, ...annotation };
  };
}

/** The fields of one role, under the names by which they are carried. */
function carried(
  survey: Survey,
  { testset, testcase }: Item,
  role: (typeof roles)[number],
): Fields {
  const fields: Fields = testcase?.[role as keyof TestcaseFacts & typeof role] ?? {};
  const names = testset && survey.testsets.get(testsetId(testset))?.names[role];
  return renamed(fields, names ?? new Map());
}

const renamed = (fields: Fields, names: ReadonlyMap<string, string>): Fields =>
  Object.fromEntries(Object.entries(fields).map(([key, value]) => [names.get(key) ?? key, value]));

const keyCharactersMax = 255;

/** A key that the service takes; the end of a long one becomes a hash. */
function keyOf(text: string): string {
  const key = text.toWellFormed();
  if (key.length <= keyCharactersMax) return key;
  const start = key.slice(0, keyCharactersMax - 15).toWellFormed();
  return `${start}:${hash(new TextEncoder().encode(key))}`;
}

/** Tells sources apart whose rows have no ids of their own. */
export async function fingerprintOf({ files }: Pick<Source, 'files'>): Promise<string> {
  const [first] = files;
  return first ? `${hash(await readHead(first))}${first.size.toString(16)}` : '0';
}

/** FNV-1a over two lanes, 14 hexadecimal digits at most. */
function hash(bytes: Uint8Array): string {
  let [low, high] = [0x811c9dc5, 0x01000193];
  for (const byte of bytes) {
    low = Math.imul(low ^ byte, 0x01000193);
    high = Math.imul(high ^ byte ^ (low >>> 24), 0x01000193);
  }
  return (low >>> 0).toString(16) + (high >>> 8).toString(16);
}
