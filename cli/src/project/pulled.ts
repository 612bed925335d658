import { extname } from 'node:path';
import { type Client, listAll } from '@assay/client/client';
import { findNamed, type Project } from '@assay/client/named';
import { statedWhole } from '@assay/contracts/scale';
import { parseByValue } from '@assay/json/parse';
import { writeJson } from '@assay/json/write';
import { readTextFile } from '@assay/sdk/text-file';
import type { Fields } from './bodies.ts';
import { canonical } from './canonical.ts';
import type { MetricSource } from './definition.ts';
import type { ProjectFile } from './read.ts';

interface PulledFiles {
  /** The texts of all files as the server has it, by their paths. */
  files: Map<string, string>;
  /** Sentences on parts that could not be written as they are. */
  notes: string[];
}

interface Pull {
  client: Client;
  project: Project;
  file: ProjectFile;
}

/** A testset, as a list of the server has it. */
export interface PulledTestset {
  id: string;
  name: string;
  description: string;
  jsonSchema: Fields;
  fieldMapping: Record<'inputs' | 'expected', string[]>;
  tagsField?: string | undefined;
}

/** The testsets and metrics that a project's file names, as the texts of its files. */
export async function readServerFiles(pull: Pull): Promise<PulledFiles> {
  const { client, project, file } = pull;
  const { testsets, metrics } = file.definition;
  const pulled: PulledFiles = { files: new Map(), notes: [] };
  const known = await listAll(client, '/projects/:projectId/testsets', {
    params: { projectId: project.id },
  });
  for (const name of Object.keys(testsets)) {
    const stored = findNamed(known, { kind: 'testset', wanted: name });
    if (stored) await pullTestset(pull, stored, pulled);
    else pulled.notes.push(`The testset "${name}" is not on the server: its files stay.`);
  }
  const measures = await listAll(client, '/projects/:projectId/metrics', {
    params: { projectId: project.id },
  });
  for (const [name, source] of Object.entries(metrics)) {
    const stored = findNamed(measures, { kind: 'metric', wanted: name });
    if (stored) pullMetric(file, { name, source, stored }, pulled);
    else pulled.notes.push(`The metric "${name}" is not on the server: its files stay.`);
  }
  pulled.files.set(file.file, file.textOf());
  return pulled;
}

async function pullTestset(
  { client, file }: Pull,
  { id, name, description, jsonSchema, fieldMapping, tagsField }: PulledTestset,
  { files, notes }: PulledFiles,
): Promise<void> {
  const source = file.definition.testsets[name]!;
  const path = ['testsets', name];
  if (source.schema !== undefined) files.set(file.pathOf(source.schema), documentOf(jsonSchema));
  if (source.inputs) file.set([...path, 'inputs'], source.inputs, fieldMapping.inputs);
  if (source.expected) file.set([...path, 'expected'], source.expected, fieldMapping.expected);
  if (source.tagsField !== undefined)
    file.set([...path, 'tagsField'], source.tagsField, tagsField ?? null);
  if (source.description !== undefined)
    file.set([...path, 'description'], source.description, description);
  const rows: Fields[] = [];
  let keyless = 0;
  for await (const { key, jsonData } of client.list('/testsets/:testsetId/testcases', {
    params: { testsetId: id },
  })) {
    if (key === undefined) keyless += 1;
    const isKeyed = key === undefined || String(jsonData[source.key] ?? '') === key;
    rows.push(isKeyed ? jsonData : { [source.key]: key, ...jsonData });
  }
  if (keyless > 0)
    notes.push(
      `${keyless} testcases of "${name}" have no key, so that no push finds them again: give each a "${source.key}" in ${source.file}, and let mode: sync delete the others.`,
    );
  const extension = extname(source.file);
  if (extension === '.json') files.set(file.pathOf(source.file), documentOf(rows));
  else if (extension === '.jsonl') {
    const linesPath = file.pathOf(source.file);
    files.set(linesPath, await linesLike(linesPath, rows, source.key));
  } else notes.push(`${source.file} stays: testcases are written as .jsonl or .json.`);
}

/**
 * The rows as lines, in the order and with the letters of those that the file has: only differences
 * change in it.
 */
async function linesLike(path: string, rows: Fields[], key: string): Promise<string> {
  const text = await readTextFile(path).catch(() => '');
  const known = new Map<string, { line: string; index: number }>();
  for (const [index, line] of text.split('\n').entries()) {
    const row = rowOf(line);
    if (row) known.set(String(row[key]), { line, index });
  }
  const keyed = rows.map((row) => ({ row, known: known.get(String(row[key])) }));
  return keyed
    .toSorted(
      (one, other) =>
        (one.known?.index ?? Number.POSITIVE_INFINITY) -
          (other.known?.index ?? Number.POSITIVE_INFINITY) || 0,
    )
    .map(({ row, known: here }) => {
      const before = here && rowOf(here.line);
      const isSame = before && canonical(before) === canonical(row);
      return `${isSame ? here.line : writeJson(orderedLike(before, row))}\n`;
    })
    .join('');
}

/** The row with its fields in the order of an earlier one. */
const orderedLike = (before: Fields = {}, row: Fields): Fields => ({
  ...Object.fromEntries(
    Object.keys(before).flatMap((field) =>
      Object.hasOwn(row, field) ? [[field, row[field]]] : [],
    ),
  ),
  ...row,
});

function rowOf(line: string): Fields | undefined {
  try {
    return parseByValue(line) as Fields;
  } catch {
    return undefined;
  }
}

const documentOf = (value: unknown): string => `${writeJson(value, { indent: 2 })}\n`;

/** A scale and a direction as the file states them: the server leaves out the usual ones. */
const scaleOfStored = (stored: Fields): Fields => ({ ...statedWhole(stored as never) });

function pullMetric(
  file: ProjectFile,
  { name, source, stored }: { name: string; source: MetricSource; stored: Fields },
  { files }: PulledFiles,
): void {
  const own = source as Record<string, unknown>;
  const texts = {
    prompt: stored.promptTemplate,
    guidelines: stored.guidelines,
    code: (stored.code as { source: string } | undefined)?.source,
  };
  for (const [member, text] of Object.entries(texts)) {
    const here = own[member];
    if (here === undefined || typeof text !== 'string') continue;
    if (typeof here === 'string') files.set(file.pathOf(here), text);
    else file.set(['metrics', name, member, 'text'], (here as { text: string }).text, text);
  }
  const values = {
    description: stored.description,
    ...scaleOfStored(stored),
    passingThreshold: stored.passingThreshold,
    model: stored.evalModelName,
    temperature: stored.temperature,
    votes: stored.votes,
    seed: stored.seed,
    annotators: stored.annotators,
    builtin: stored.builtin,
  };
  for (const [member, value] of Object.entries(values))
    if (own[member] !== undefined && value !== undefined)
      if (canonical(own[member]) !== canonical(value))
        file.set(['metrics', name, member], own[member], value);
}
