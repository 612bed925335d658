import { dirname, resolve } from 'node:path';
import { nearNames } from '@assay/client/named';
import { parseByValue } from '@assay/json/parse';
import { readTextFile } from '@assay/sdk/text-file';
import {
  type Document,
  isMap,
  isNode,
  isPair,
  isScalar,
  LineCounter,
  parseDocument,
  visit,
} from 'yaml';
import type { z } from 'zod';
import { CommandFailure } from '../failure.ts';
import { canonical } from './canonical.ts';
import { type ProjectDefinition, projectDefinition } from './definition.ts';
import { exactNumber } from './exact-number.ts';

export const defaultFile = 'assay.yaml';

/** A project's file, with the place of each value in it. */
export interface ProjectFile {
  /** As it was named. */
  file: string;
  folder: string;
  definition: ProjectDefinition;
  /** Puts a value in place of another, where they differ; comments stay. */
  set(path: readonly string[], before: unknown, value: unknown): void;
  /** The text, with the values that were put into it. */
  textOf(): string;
  /** The path of a file that it names, from where the command was started. */
  pathOf(name: string): string;
  /** "assay.yaml:12:5", of the value at this path, or of the nearest one around it. */
  placeOf(path: readonly PropertyKey[]): string;
}

/** A fault with its place: "assay.yaml:12:5". */
export interface Fault {
  place: string;
  message: string;
}

/** @throws CommandFailure with every fault of the file. */
export async function readProjectFile(file: string): Promise<ProjectFile> {
  const text = await readTextFile(file).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    throw new CommandFailure(
      `There is no ${file} here: make one with assay init, or name another with --file.`,
    );
  });
  return parseProjectFile(file, text);
}

/** @throws CommandFailure with every fault of the text. */
export function parseProjectFile(file: string, text: string): ProjectFile {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    customTags: [exactNumber],
  });
  const placeAt = (offset: number): string => {
    const { line, col } = lines.linePos(offset);
    return `${file}:${line}:${col}`;
  };
  const placeOf = (path: readonly PropertyKey[]): string => placeAt(offsetOf(document, path));
  if (document.errors.length > 0)
    throw faultsFailure(
      document.errors.map(({ pos, message }) => ({
        place: placeAt(pos[0]),
        message: `is not YAML: ${firstLine(message)}`,
      })),
    );
  const result = projectDefinition.safeParse(valueOfDocument(document, file));
  const folder = dirname(file);
  const pathOf = (name: string) => (folder === '.' ? name : resolve(folder, name));
  if (!result.success) throw faultsFailure(faultsOf(result.error.issues, document, placeAt));
  const definition = result.data;
  const faults = looseEnds(definition).map(({ path, message }) => ({
    place: placeOf(path),
    message,
  }));
  if (faults.length > 0) throw faultsFailure(faults);
  let isChanged = false;
  return {
    file,
    folder,
    definition,
    pathOf,
    placeOf,
    set(path, before, value) {
      if (canonical(before) === canonical(value)) return;
      document.setIn(path, document.createNode(value, { flow: true }));
      isChanged = true;
    },
    textOf: () => (isChanged ? document.toString({ lineWidth: 0 }) : text),
  };
}

/** One failure that lists all faults, each with its place. */
export function faultsFailure(faults: Fault[]): CommandFailure {
  return new CommandFailure(faults.map(({ place, message }) => `${place}: ${message}`).join('\n'));
}

const firstLine = (text: string): string => text.split('\n')[0]!;

/** Aliases that would fill the memory are refused by the parser. */
function valueOfDocument(document: Document, file: string): unknown {
  try {
    giveDigitsBack(document);
    return document.toJS();
  } catch (error) {
    throw new CommandFailure(`${file}:1:1: cannot be used: ${firstLine((error as Error).message)}`);
  }
}

/** Members below which numbers are the user's own, and not settings of ours. */
const exactMembers = ['where', 'options', 'config'];

/** Such numbers keep the digits that a double does not hold. */
function giveDigitsBack(document: Document): void {
  visit(document, {
    Scalar(_key, node, path) {
      if (typeof node.value !== 'number' || node.source === undefined) return;
      if (path.some(isExactMember)) node.value = numberOf(node.source) ?? node.value;
    },
  });
}

const isExactMember = (part: unknown): boolean =>
  isPair(part) && isScalar(part.key) && exactMembers.includes(String(part.key.value));

/** A number as JSON writes it, by its digits; undefined for another form, such as `.5` or `0x10`. */
function numberOf(text: string): unknown {
  try {
    return parseByValue(text);
  } catch {
    return undefined;
  }
}

/** Where the value at a path begins, or the nearest one around it that there is. */
function offsetOf(document: Document, path: readonly PropertyKey[]): number {
  for (let length = path.length; length > 0; length--) {
    const node = document.getIn(path.slice(0, length), true);
    if (isNode(node) && node.range) return node.range[0];
  }
  return document.contents?.range?.[0] ?? 0;
}

/** Where the key of a member stands. */
function keyOffset(document: Document, path: readonly PropertyKey[], key: string): number {
  const map = path.length === 0 ? document.contents : document.getIn(path, true);
  const pair = isMap(map)
    ? map.items.find((item) => isPair(item) && isScalar(item.key) && String(item.key.value) === key)
    : undefined;
  return isScalar(pair?.key) && pair.key.range ? pair.key.range[0] : offsetOf(document, path);
}

type Issue = z.core.$ZodIssue;

function faultsOf(
  issues: Issue[],
  document: Document,
  placeAt: (offset: number) => string,
): Fault[] {
  return issues.flatMap((issue): Fault[] => {
    if (issue.code === 'unrecognized_keys')
      return issue.keys.map((key) => ({
        place: placeAt(keyOffset(document, issue.path, key)),
        message: `${named([...issue.path, key])} is unknown${suggestion(key, issue.path)}`,
      }));
    // The member of a union that was meant tells the fault.
    const meant =
      issue.code === 'invalid_union'
        ? issue.errors.find(
            (own) =>
              own.every(({ path, code }) => path.length > 0 || code === 'unrecognized_keys') &&
              own.some(({ path }) => path.length > 1),
          )
        : undefined;
    if (meant)
      return faultsOf(
        meant.map((own) => ({ ...own, path: [...issue.path, ...own.path] })),
        document,
        placeAt,
      );
    return [
      {
        place: placeAt(offsetOf(document, issue.path)),
        message: `${named(issue.path)} ${wordsOf(issue)}.`,
      },
    ];
  });
}

const named = (path: readonly PropertyKey[]): string =>
  path.length === 0 ? 'the file' : path.map(String).join('.');

function wordsOf(issue: Issue): string {
  if (issue.code === 'invalid_type')
    return issue.input === undefined && /received undefined/.test(issue.message)
      ? 'is missing'
      : `must be ${words[issue.expected] ?? issue.expected}`;
  if (issue.code === 'invalid_value') return `must be ${issue.values.map(String).join(' or ')}`;
  if (issue.code === 'too_small') return `must be at least ${issue.minimum}`;
  if (issue.code === 'too_big') return `must be at most ${issue.maximum}`;
  return issue.message.startsWith('must ')
    ? issue.message
    : `is not as it should be: ${issue.message}`;
}

const words: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  object: 'a mapping of names to values',
  record: 'a mapping of names to values',
  array: 'a list',
};

const known: Record<string, string[]> = {
  '': ['project', 'testsets', 'metrics', 'evaluations'],
  testsets: ['file', 'schema', 'description', 'inputs', 'expected', 'key', 'mode'],
  metrics: ['type', 'output', 'description', 'guidelines', 'passingThreshold'].concat(
    ['min', 'max', 'lowerIsBetter'],
    ['prompt', 'model', 'temperature', 'votes', 'seed'],
    ['annotators', 'builtin', 'code'],
  ),
  evaluations: ['testset', 'metrics', 'system', 'config', 'systemName', 'versionName'].concat([
    'name',
    'labels',
    'trials',
    'limit',
    'concurrency',
    'timeoutMs',
    'retries',
    'rateLimit',
    'budgetUsd',
    'gate',
  ]),
};

function suggestion(key: string, path: readonly PropertyKey[]): string {
  const [near] =
    path.length === 0 || path.length === 2
      ? nearNames(key, known[String(path[0] ?? '')] ?? [])
      : [];
  return near === undefined ? '.' : `: did you mean ${near}?`;
}

/** Names that lead nowhere in the file, and members that exclude each other. */
function looseEnds({ metrics }: ProjectDefinition): { path: string[]; message: string }[] {
  return Object.entries(metrics).flatMap(([name, metric]) =>
    metric.type === 'heuristic' && metric.builtin && metric.code !== undefined
      ? [
          {
            path: ['metrics', name, 'code'],
            message: `metrics.${name} has a builtin and code: a metric has one of them.`,
          },
        ]
      : [],
  );
}
