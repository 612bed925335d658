import { readdir, readFile } from 'node:fs/promises';
import type { Json } from '@assay/client/client';

/** A record whose right score a person has written down, with the reason. */
export interface LabelledRecord {
  inputs: Json;
  expected: Json;
  outputs: Json;
  label: boolean | number;
  why: string;
}

const folder = new URL('../../judges/', import.meta.url);

/** The names of the ready-made judges for which there are labelled records. */
export async function listLabelledTemplates(): Promise<string[]> {
  const files = await readdir(folder);
  return files.map((file) => file.replace(/\.ndjson$/, '')).toSorted();
}

export async function readLabelledRecords(template: string): Promise<LabelledRecord[]> {
  const text = await readFile(new URL(`${template}.ndjson`, folder), 'utf8');
  return text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as LabelledRecord);
}
