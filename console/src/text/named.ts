import type { NamedThing, NameKind } from '../api/named.ts';
import { visible } from './format.ts';
import { runName } from './names.ts';

/** The kinds of things that have names: one, and several. */
export const nameKinds: Record<NameKind, { one: string; several: string }> = {
  run: { one: 'Run', several: 'runs' },
  testset: { one: 'Testset', several: 'testsets' },
  metric: { one: 'Metric', several: 'metrics' },
  system: { one: 'System', several: 'systems' },
  systemVersion: { one: 'Version', several: 'versions of systems' },
  monitor: { one: 'Monitor', several: 'monitors' },
};

/** A thing in words: a version has the name of its system before its own. */
export function thingName(thing: NamedThing): string {
  if (thing.kind === 'run') return visible(runName(thing));
  return visible([thing.systemName, thing.name].filter(Boolean).join(' '));
}

/** Says that a search has not all that there is; an empty text where it has. */
export function searchRemark({
  isSearching,
  isCut,
  missing,
  error,
  count,
}: {
  isSearching: boolean;
  isCut: boolean;
  missing: NameKind[];
  error: Error | null;
  /** The names that are shown. */
  count: number;
}): string {
  if (error && !isSearching) return `Names cannot be searched now: ${error.message}`;
  if (missing.length > 0)
    return `Now without ${missing.map((kind) => nameKinds[kind].several).join(', ')}: their service does not answer.`;
  if (isSearching) return 'Searching …';
  if (count === 0) return 'Nothing has this name.';
  return isCut ? 'There are more: type another word of the name.' : '';
}
