import { type Client, listAll } from '@assay/client/client';
import type { Project } from '@assay/client/named';
import { stringify } from 'yaml';
import type { Fields } from './bodies.ts';
import { exactNumber } from './exact-number.ts';
import type { PulledTestset } from './pulled.ts';

interface Metric {
  name: string;
  evalType: 'ai' | 'human' | 'heuristic';
  outputType: 'boolean' | 'int' | 'float';
  description?: string;
  guidelines?: string | null;
  min?: number | null;
  max?: number | null;
  lowerIsBetter?: boolean;
  passingThreshold?: number | null;
  evalModelName?: string;
  temperature?: number | null;
  votes?: number;
  seed?: number | null;
  annotators?: number;
  builtin?: Fields;
  code?: { language: string };
}

/** The text of an assay.yaml that names all testsets and metrics of a project. */
export async function firstFile(
  client: Client,
  { id, name }: Project,
): Promise<{ text: string; notes: string[] }> {
  const notes: string[] = [];
  const testsets = withoutTwins(
    await listAll(client, '/projects/:projectId/testsets', { params: { projectId: id } }),
    'testset',
    notes,
  );
  const metrics = withoutTwins(
    await listAll(client, '/projects/:projectId/metrics', { params: { projectId: id } }),
    'metric',
    notes,
  );
  const fileOf = fileNames();
  const definition: Record<string, unknown> = { project: name };
  if (testsets.length > 0) {
    const entries: [string, Fields][] = [];
    for (const testset of testsets)
      entries.push([testset.name, await testsetEntry(client, testset, fileOf)]);
    definition.testsets = Object.fromEntries(entries);
  }
  if (metrics.length > 0)
    definition.metrics = Object.fromEntries(
      metrics.map((metric) => [metric.name, metricEntry(metric as Metric, fileOf)]),
    );
  return { text: stringify(definition, { lineWidth: 0, customTags: [exactNumber] }), notes };
}

/** The file calls things by their names, so that two of one name have no place in it. */
function withoutTwins<Item extends { name: string }>(
  items: Item[],
  kind: string,
  notes: string[],
): Item[] {
  const counts = new Map<string, number>();
  for (const { name } of items) counts.set(name, (counts.get(name) ?? 0) + 1);
  for (const [name, count] of counts)
    if (count > 1)
      notes.push(
        `${count} ${kind}s are called "${name}", and are left out: give each a name of its own.`,
      );
  return items.filter(({ name }) => counts.get(name) === 1);
}

type FileOf = (name: string, end: string) => string;

const lettersMax = 60;

/** Names of files that no name of a user leads out of the folder, each once. */
function fileNames(): FileOf {
  const used = new Set<string>();
  return (name, end) => {
    const plain = name
      .normalize('NFKD')
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .slice(0, lettersMax)
      .replaceAll(/^-+|-+$/g, '');
    const stem = plain === '' ? 'unnamed' : plain;
    for (let number = 1; ; number++) {
      const file = `${stem}${number === 1 ? '' : `-${number}`}${end}`;
      if (used.has(file)) continue;
      used.add(file);
      return file;
    }
  };
}

async function testsetEntry(
  client: Client,
  { id, name, description, fieldMapping: { inputs, expected }, tagsField }: PulledTestset,
  fileOf: FileOf,
): Promise<Fields> {
  return {
    file: fileOf(name, '.jsonl'),
    schema: fileOf(name, '.schema.json'),
    ...(description === '' ? {} : { description }),
    inputs,
    expected,
    ...(tagsField === undefined ? {} : { tagsField }),
    key: await keyField(client, id),
  };
}

/** The field that has every key of the first testcases; `_key`, which is no field, where none has. */
async function keyField(client: Client, testsetId: string): Promise<string> {
  const { data } = await client.request('GET', '/testsets/:testsetId/testcases', {
    params: { testsetId },
    query: { limit: 100 },
  });
  const keyed = data.filter(({ key }) => key !== undefined);
  const fields = Object.keys(keyed[0]?.jsonData ?? {});
  return (
    fields.find((field) => keyed.every(({ key, jsonData }) => String(jsonData[field]) === key)) ??
    '_key'
  );
}

const extensions: Record<string, string> = { typescript: '.ts', javascript: '.mjs', python: '.py' };

function metricEntry(metric: Metric, fileOf: FileOf): Fields {
  const { name, evalType, outputType, guidelines, code } = metric;
  const extension = extensions[code?.language ?? ''];
  return {
    type: evalType,
    output: outputType,
    ...defined({
      description: metric.description || undefined,
      min: metric.min,
      max: metric.max,
      lowerIsBetter: metric.lowerIsBetter,
      passingThreshold: metric.passingThreshold ?? undefined,
      builtin: metric.builtin,
      model: metric.evalModelName,
      temperature: metric.temperature,
      votes: metric.votes,
      seed: metric.seed,
      annotators: metric.annotators,
    }),
    ...(evalType === 'ai' ? { prompt: `prompts/${fileOf(name, '.jinja')}` } : {}),
    ...(guidelines ? { guidelines: `prompts/${fileOf(name, '.md')}` } : {}),
    ...(extension ? { code: `metrics/${fileOf(name, extension)}` } : {}),
  };
}

const defined = (fields: Fields): Fields =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
