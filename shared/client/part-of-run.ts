import { pointerSegments } from '@assay/json/pointer';
import { writeJson } from '@assay/json/write';
import { whole } from './figures.ts';

/** What a run says about the part of its testset that it is over. */
export interface RunPart {
  numTestcases?: number | undefined;
  numTestsetTestcases?: number | undefined;
  where?: Record<string, unknown> | undefined;
  keys?: string[] | undefined;
}

const keysShown = 3;
const valueCharactersMax = 40;

/**
 * The part of its testset that a run is over, as in "on 40 of 400 testcases, lang = de"; undefined
 * for a run over all of it. Python's package says the same.
 */
export function partOfRun({
  numTestcases,
  numTestsetTestcases,
  where = {},
  keys = [],
}: RunPart): string | undefined {
  if (numTestcases === undefined) return undefined;
  const conditions = Object.entries(where).map(
    ([pointer, value]) => `${pointerSegments(pointer).join('/')} = ${valueText(value)}`,
  );
  const isWhole = numTestcases === numTestsetTestcases;
  if (isWhole && conditions.length === 0 && keys.length === 0) return undefined;
  const all = numTestsetTestcases === undefined ? '' : ` of ${whole(numTestsetTestcases)}`;
  const nouns = numTestsetTestcases === 1 ? 'testcase' : 'testcases';
  return [`on ${whole(numTestcases)}${all} ${nouns}`, ...conditions, ...keysText(keys)].join(', ');
}

/** Texts stand as they are, unless they would be read as another value. */
function valueText(value: unknown): string {
  const isPlain = typeof value === 'string' && value.trim() === value && !isJson(value);
  return shortened(isPlain ? value : writeJson(value));
}

function isJson(text: string): boolean {
  if (text === '') return true;
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

function keysText(keys: string[]): string[] {
  if (keys.length === 0) return [];
  const others = keys.length - keysShown;
  const told = [
    ...keys.slice(0, keysShown).map(shortened),
    ...(others > 0 ? [`${whole(others)} ${others === 1 ? 'other' : 'others'}`] : []),
  ];
  const last = told.pop()!;
  const listed = told.length === 0 ? last : `${told.join(', ')} and ${last}`;
  return [`${keys.length === 1 ? 'key' : 'keys'} ${listed}`];
}

function shortened(text: string): string {
  const characters = [...text];
  return characters.length > valueCharactersMax
    ? `${characters.slice(0, valueCharactersMax - 1).join('')}…`
    : text;
}
