import { breakdownText } from '@assay/contracts/breakdown-text';
import type { Identity } from '@assay/contracts/define';
import type { RunOutline } from '@assay/contracts/run-records';
import type { Dependencies } from '../dependencies.ts';
import { findFieldValues, readField } from '../field-values.ts';

/** Values that a breakdown shows. */
const rowsMax = 100;
/** Intervals that it computes: with more metrics it shows fewer values. */
const cellsMax = 2000;

/** The records or testcases of one value; the value is JSON text, null for those that have none. */
export interface Bucket {
  value: string | null;
  members: string[];
}

/** The largest values first, and those without a value last. */
export interface Buckets {
  /** Where the values were found. */
  by: string;
  rows: Bucket[];
  /** How many other values there are, and the members that stand under these alone. */
  other: { values: number; members: number };
}

/** The records of a run, or the testcases of two, by which something is broken down. */
export interface Members {
  of: 'record' | 'testcase';
  /** The testcase of each member, which is a testcase itself or a record. */
  testcases: ReadonlyMap<string, string | null>;
}

interface WantedBreakdown {
  /** `tags`, or a JSON Pointer into inputs or metadata. */
  breakdownBy: string;
  /** The part of the request that says it. */
  path: string;
  /** The tags are those in any of the runs, the inputs those in the first. */
  runs: [RunOutline, ...RunOutline[]];
  members: Members;
  metrics: number;
}

/**
 * Whether the runs' records tell all of a breakdown: tags are put on records that do not change, and
 * the metadata of testcases changes by itself.
 */
export const isBrokenDownByRunsAlone = (breakdownBy: string | undefined): boolean =>
  breakdownBy === undefined || breakdownBy.startsWith('/inputs/');

/**
 * Puts each member under its value, or under each of its tags.
 * @throws VALIDATION_ERROR when `breakdownBy` is neither `tags` nor a JSON Pointer, or finds nothing.
 */
export async function findBuckets(
  dependencies: Pick<Dependencies, 'runRecords' | 'ask'>,
  identity: Identity,
  wanted: WantedBreakdown,
): Promise<Buckets> {
  const { by, values } =
    wanted.breakdownBy === 'tags'
      ? { by: 'tags', values: await findTags(dependencies, identity, wanted) }
      : await findField(dependencies, identity, wanted);
  const ids = wanted.members.testcases;
  const membersOf = new Map<string, string[]>();
  const without: string[] = [];
  for (const id of ids.keys()) {
    const own = values.get(id);
    if (own === undefined) without.push(id);
    else for (const value of own) addTo(membersOf, value, id);
  }
  const sorted = [...membersOf].sort(
    ([one, { length: ofOne }], [other, { length: ofOther }]) =>
      ofOther - ofOne || (one < other ? -1 : 1),
  );
  const most = Math.max(1, Math.min(rowsMax, Math.floor(cellsMax / Math.max(1, wanted.metrics))));
  const shown = sorted.slice(0, most);
  const isShown = new Set(shown.map(([value]) => value));
  const hidden = [...ids.keys()].filter((id) => {
    const own = values.get(id);
    return own && ![...own].some((value) => isShown.has(value));
  });
  return {
    by,
    rows: [
      ...shown.map(([value, members]): Bucket => ({ value, members })),
      ...(without.length > 0 ? [{ value: null, members: without }] : []),
    ],
    other: { values: sorted.length - shown.length, members: hidden.length },
  };
}

function addTo(lists: Map<string, string[]>, key: string, item: string): void {
  const known = lists.get(key);
  if (known) known.push(item);
  else lists.set(key, [item]);
}

type Values = ReadonlyMap<string, Iterable<string>>;

async function findTags(
  { runRecords }: Pick<Dependencies, 'runRecords'>,
  identity: Identity,
  { runs, members: { of, testcases } }: WantedBreakdown,
): Promise<Values> {
  const found = new Map<string, Set<string>>();
  for (const { id: runId } of runs)
    for await (const { recordId, testcaseId, tags } of runRecords.streamTags(identity, { runId })) {
      const id = of === 'record' ? recordId : testcaseId;
      if (id === null || !testcases.has(id)) continue;
      const known = found.get(id) ?? new Set();
      for (const tag of tags) known.add(JSON.stringify(tag));
      found.set(id, known);
    }
  return found;
}

async function findField(
  dependencies: Pick<Dependencies, 'runRecords' | 'ask'>,
  identity: Identity,
  { breakdownBy, path, runs: [run], members: { of, testcases } }: WantedBreakdown,
): Promise<{ by: string; values: Values }> {
  const field = readField(breakdownBy, path);
  if (testcases.size === 0) return { by: breakdownBy, values: new Map() };
  const { place, values } = await findFieldValues(dependencies, identity, {
    field,
    run,
    keys: { of, has: (id) => testcases.has(id) },
    testcasesOf: () => {
      const members = new Map<string, string[]>();
      for (const [id, testcaseId] of testcases)
        if (testcaseId !== null) addTo(members, testcaseId, id);
      return members;
    },
    among: of === 'record' ? 'record of the run' : 'testcase that both runs have',
  });
  const shown = [...values].map(([id, text]): [string, string[]] => [id, [breakdownText(text)]]);
  return { by: `/${place}${field.pointer}`, values: new Map(shown) };
}
