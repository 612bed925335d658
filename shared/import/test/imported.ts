import type { Entity } from '../entity.ts';
import { readImport } from '../formats.ts';
import type { ImportOptions } from '../item.ts';
import { fileOf, type SourceFile } from '../source.ts';

type Kind = Entity['kind'];
type Of<K extends Kind> = Extract<Entity, { kind: K }>;

/** All entities of a source, by their kinds. */
export interface ImportResult {
  all: Entity[];
  of<K extends Kind>(kind: K): Of<K>[];
  /** Scores of a record by the names of their metrics. */
  scoresOf(clientId: string): Record<string, unknown>;
  /** The reasons of the losses. */
  reasons: string[];
}

export type Files = Record<string, unknown>;

function contentOf(name: string, content: unknown): string | Uint8Array {
  if (typeof content === 'string' || content instanceof Uint8Array) return content;
  if (Array.isArray(content) && /\.jsonl$/.test(name))
    return content.map((line) => JSON.stringify(line)).join('\n');
  return JSON.stringify(content);
}

export const filesOf = (files: Files): SourceFile[] =>
  Object.entries(files).map(([name, content]) => fileOf(name, contentOf(name, content)));

/** Imports files given by their texts, bytes, or values of JSON (a list in .jsonl is its lines). */
export async function importFiles(
  format: string,
  files: Files,
  options?: ImportOptions,
): Promise<ImportResult> {
  const list = filesOf(files);
  const all: Entity[] = [];
  const source = { name: list[0]?.name ?? '', files: list };
  for await (const entity of readImport(format, source, options)) all.push(entity);
  const of = <K extends Kind>(kind: K) => all.filter((entity) => entity.kind === kind) as Of<K>[];
  const names = new Map(of('metric').map(({ ref, body }) => [ref, body.name]));
  return {
    all,
    of,
    scoresOf: (clientId) =>
      Object.fromEntries(
        of('score')
          .filter(({ record }) => record === clientId)
          .map(({ metric, score }) => [
            names.get(metric),
            score.binaryScore ?? score.floatScore ?? score.intScore ?? score.value,
          ]),
      ),
    reasons: of('loss').map(({ reason }) => reason),
  };
}

/** The message with which an import fails. */
export async function faultOf(
  format: string,
  files: Files,
  options?: ImportOptions,
): Promise<string> {
  try {
    await importFiles(format, files, options);
  } catch (error) {
    return `${(error as Error).name}: ${(error as Error).message}`;
  }
  return 'nothing failed';
}
