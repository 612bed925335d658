import { type NamedThing, type NameKind, useNamed } from '../../api/named.ts';
import { parse } from '../../parts/filter/syntax.ts';

/** The kinds of filters that name things of a project, by the kind of thing. */
const kinds: Record<string, NameKind> = { testset: 'testset', version: 'systemVersion' };

/** The testsets and versions whose names are being written in a filter, among all of the project. */
export function useWrittenNames(projectId: string, draft: string) {
  const testsets = useNamed(projectId, searchOf(draft, 'testset'));
  const versions = useNamed(projectId, searchOf(draft, 'version'));
  return {
    testsets: testsets.names.flatMap(namedValue),
    versions: versions.names.flatMap(namedValue),
    areRead: !testsets.isSearching && !versions.isSearching,
  };
}

/** A word without a key may be the name of anything. */
function searchOf(draft: string, key: string) {
  const { terms, text } = parse(draft, (written) => written.toLowerCase() in kinds);
  const written = terms.findLast((term) => term.key.toLowerCase() === key)?.value;
  const word = text.split(/\s+/).at(-1) ?? '';
  const searched = written ?? (terms.length === 0 ? word : '');
  return { text: searched, kind: [kinds[key]!], isEnabled: searched !== '' };
}

const namedValue = ({ id, systemName, name }: NamedThing) =>
  id && name ? [{ value: id, name: [systemName, name].filter(Boolean).join(' ') }] : [];
