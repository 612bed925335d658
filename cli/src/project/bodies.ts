import { openAsBlob } from 'node:fs';
import { basename } from 'node:path';
import type { Entity, TestsetEntity } from '@assay/import/entity';
import { ImportFailure } from '@assay/import/failure';
import { detectSource, readImport } from '@assay/import/formats';
import { fileOfBlob, type Source, sourceOf } from '@assay/import/source';
import { parseByValue } from '@assay/json/parse';
import { readTextFile } from '@assay/sdk/text-file';
import type { MetricSource, TestsetSource } from './definition.ts';
import type { Fault, ProjectFile } from './read.ts';

/** A testset as its files have it. */
export interface TestsetBody {
  name: string;
  source: TestsetSource;
  /** As the file of testcases suggests it; the project's file wins. */
  entity: TestsetEntity;
  /** Whether the project's file says it, so that the server follows. */
  says: { schema: boolean; mapping: boolean; tagsField: boolean; description: boolean };
  /** The testset and its testcases, anew at each call. */
  entities(): AsyncIterable<Entity>;
}

export type Fields = Record<string, unknown>;

/** A metric as its files have it. Members that they lack stay as they are on the server. */
export interface MetricBody {
  name: string;
  source: MetricSource;
  body: Fields & { evalType: string; outputType: string };
}

export interface Bodies {
  testsets: TestsetBody[];
  metrics: MetricBody[];
  faults: Fault[];
}

/** Reads all files that the project's file names, and collects their faults. */
export async function readBodies(project: ProjectFile): Promise<Bodies> {
  const { testsets, metrics } = project.definition;
  const faults: Fault[] = [];
  const bodies: Bodies = { testsets: [], metrics: [], faults };
  for (const [name, source] of Object.entries(testsets)) {
    const body = await readTestset(project, name, source, faults);
    if (body) bodies.testsets.push(body);
  }
  for (const [name, source] of Object.entries(metrics)) {
    const body = await readMetric(project, name, source, faults);
    if (body) bodies.metrics.push(body);
  }
  return bodies;
}

async function readTestset(
  project: ProjectFile,
  name: string,
  source: TestsetSource,
  faults: Fault[],
): Promise<TestsetBody | undefined> {
  const place = (member: string) => project.placeOf(['testsets', name, member]);
  const path = project.pathOf(source.file);
  const rows = await openRows(path).catch((error: NodeJS.ErrnoException) => {
    faults.push({ place: place('file'), message: fileFault(source.file, error) });
  });
  const schema =
    source.schema === undefined
      ? undefined
      : await readSchema(project.pathOf(source.schema), source.schema, place('schema'), faults);
  if (!rows || (source.schema !== undefined && !schema)) return undefined;
  const read = () => readImport(rows.format, rows.source, { key: source.key, name });
  for (const field of missingFields(schema, source))
    faults.push({
      place: place('schema'),
      message: `testsets.${name}: ${source.schema} has no property "${field}", which is an input or expected.`,
    });
  try {
    const entity = await checkRows(read(), { name, source, place, faults });
    if (!entity) return undefined;
    const own = ownEntity(entity, name, source, schema);
    async function* entities(): AsyncGenerator<Entity> {
      for await (const each of read()) {
        if (each.kind === 'testset') yield own;
        if (each.kind === 'testcase') yield { ...each, testset: own.ref };
      }
    }
    const says = {
      schema: schema !== undefined,
      mapping: source.inputs !== undefined || source.expected !== undefined,
      tagsField: source.tagsField !== undefined,
      description: source.description !== undefined,
    };
    return { name, source, entity: own, says, entities };
  } catch (error) {
    if (!(error instanceof ImportFailure)) throw error;
    faults.push({ place: place('file'), message: error.message });
    return undefined;
  }
}

/** Fields of the mapping that the schema does not have: the server would leave them out. */
function missingFields(
  schema: Fields | undefined,
  { inputs = [], expected = [] }: TestsetSource,
): string[] {
  const properties = schema?.properties;
  if (schema === undefined) return [];
  const known = typeof properties === 'object' && properties !== null ? properties : {};
  return [...inputs, ...expected].filter((field) => !Object.hasOwn(known, field));
}

async function openRows(path: string): Promise<{ format: string; source: Source }> {
  const source = sourceOf(fileOfBlob(basename(path), await openAsBlob(path)));
  const detected = await detectSource(source);
  const byName = /\.(csv|json|jsonl|tsv)$/.exec(path)?.[1]?.replace('tsv', 'csv');
  return { format: byName ?? detected?.format ?? 'jsonl', source };
}

/** Each testcase needs a key, and one of its own: a repeat could not find it otherwise. */
async function checkRows(
  entities: AsyncIterable<Entity>,
  {
    name,
    source,
    place,
    faults,
  }: {
    name: string;
    source: TestsetSource;
    place: (member: string) => string;
    faults: Fault[];
  },
): Promise<TestsetEntity | undefined> {
  let testset: TestsetEntity | undefined;
  const keys = new Map<string, number>();
  let row = 0;
  let hasFault = false;
  const fault = (message: string) => {
    if (!hasFault) faults.push({ place: place('key'), message: `testsets.${name}: ${message}` });
    hasFault = true;
  };
  for await (const entity of entities) {
    if (entity.kind === 'testset') testset = entity;
    if (entity.kind === 'loss') fault(`${source.file}: ${entity.reason}`);
    if (entity.kind !== 'testcase') continue;
    row += 1;
    const { key } = entity;
    if (key === undefined)
      fault(`testcase ${row} of ${source.file} has no "${source.key}", which is to be its key.`);
    else if (keys.has(key))
      fault(
        `testcases ${keys.get(key)} and ${row} of ${source.file} have the same key, ${JSON.stringify(key)}.`,
      );
    else keys.set(key, row);
  }
  return hasFault ? undefined : testset;
}

function ownEntity(
  entity: TestsetEntity,
  name: string,
  { inputs, expected, tagsField, description }: TestsetSource,
  schema: Fields | undefined,
): TestsetEntity {
  const { fieldMapping } = entity;
  const named = [...(inputs ?? []), ...(expected ?? [])];
  const rest = (fields: string[]) => fields.filter((field) => !named.includes(field));
  const all = Object.values(fieldMapping).flat();
  const isSaid = inputs !== undefined || expected !== undefined;
  return {
    ...entity,
    name,
    description: description ?? '',
    jsonSchema: schema ?? entity.jsonSchema,
    ...(typeof tagsField === 'string' ? { tagsField } : {}),
    fieldMapping: isSaid
      ? {
          inputs: inputs ?? rest(fieldMapping.inputs),
          expected: expected ?? rest(fieldMapping.expected),
          metadata: rest(
            all.filter(
              (field) =>
                (inputs !== undefined || !fieldMapping.inputs.includes(field)) &&
                (expected !== undefined || !fieldMapping.expected.includes(field)),
            ),
          ),
        }
      : fieldMapping,
  };
}

async function readSchema(
  path: string,
  name: string,
  place: string,
  faults: Fault[],
): Promise<Fields | undefined> {
  try {
    const value = parseByValue(await readTextFile(path));
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Fields;
    faults.push({ place: `${name}:1:1`, message: 'must be an object: a JSON Schema.' });
  } catch (error) {
    if (error instanceof SyntaxError)
      faults.push({ place: `${name}:1:1`, message: `is not JSON: ${error.message}` });
    else faults.push({ place, message: fileFault(name, error as NodeJS.ErrnoException) });
  }
  return undefined;
}

const languages: Record<string, string> = {
  ts: 'typescript',
  mts: 'typescript',
  js: 'javascript',
  mjs: 'javascript',
  py: 'python',
};

async function readMetric(
  project: ProjectFile,
  name: string,
  source: MetricSource,
  faults: Fault[],
): Promise<MetricBody | undefined> {
  let isWhole = true;
  async function text(member: string, value: string | { text: string }): Promise<string> {
    if (typeof value !== 'string') return value.text;
    return readTextFile(project.pathOf(value)).catch((error: NodeJS.ErrnoException) => {
      isWhole = false;
      const place = project.placeOf(['metrics', name, member]);
      faults.push({ place, message: fileFault(value, error) });
      return '';
    });
  }
  const { type: evalType, output: outputType, description, guidelines } = source;
  const { min, max, lowerIsBetter, passingThreshold } = source;
  const body: MetricBody['body'] = {
    name,
    evalType,
    outputType,
    ...defined({ description, min, max, lowerIsBetter, passingThreshold }),
    ...(guidelines === undefined ? {} : { guidelines: await text('guidelines', guidelines) }),
  };
  if (source.type === 'ai') {
    const { prompt, model: evalModelName, temperature, votes, seed } = source;
    const promptTemplate = await text('prompt', prompt);
    Object.assign(body, {
      promptTemplate,
      ...defined({ evalModelName, temperature, votes, seed }),
    });
  }
  if (source.type === 'human') Object.assign(body, defined({ annotators: source.annotators }));
  if (source.type === 'heuristic') {
    Object.assign(body, defined({ builtin: source.builtin }));
    if (source.code !== undefined)
      body.code = {
        language: languages[source.code.split('.').at(-1)!],
        source: await text('code', source.code),
      };
  }
  return isWhole ? { name, source, body } : undefined;
}

const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));

const fileFault = (name: string, { code, message }: NodeJS.ErrnoException): string =>
  code === 'ENOENT' || code === 'ERR_INVALID_ARG_VALUE'
    ? `${name} is not there: check the path, which begins at the folder of this file.`
    : `${name} cannot be read (${code ?? message}).`;
