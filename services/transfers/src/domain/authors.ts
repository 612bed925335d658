import { authorFields, type LineKind } from '@assay/contracts/project-file';

type AuthorOf = (userId: string) => string;

/** Gives a line the authors whom those of the file are here. Where it names none, it has none. */
export function withAuthors<Line extends { kind: LineKind }>(line: Line, authorOf: AuthorOf): Line {
  const fields: { [Kind in LineKind]?: readonly string[] } = authorFields;
  return (fields[line.kind] ?? []).reduce<Line>(
    (changed, field) => changedAt(changed, field.split('.'), authorOf) as Line,
    line,
  );
}

function changedAt(value: unknown, path: string[], authorOf: AuthorOf): unknown {
  if (value === undefined || value === null) return value;
  if (path.length === 0) return authorOf(value as string);
  if (Array.isArray(value)) return value.map((item) => changedAt(item, path, authorOf));
  const [name, ...rest] = path as [string, ...string[]];
  const members = value as Record<string, unknown>;
  return name in members
    ? { ...members, [name]: changedAt(members[name], rest, authorOf) }
    : members;
}
