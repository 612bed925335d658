import { escapeSegment, pointerSegments } from '@assay/json/pointer';

const parts = ['inputs', 'expected', 'outputs'] as const;

/**
 * The fields that a project's testsets give to its records, and those that its systems answer with.
 * Of a part that is left out nothing is known.
 */
export type ProjectFields = Partial<Record<(typeof parts)[number], readonly string[]>>;

/** Where a template reads its fields, by their names. */
interface TemplatePlaces {
  fields: Record<string, { pointer: string; isOptional?: boolean }>;
}

/**
 * Where a project has the fields of a template that its records do not have by the template's own
 * names, as pointers by the template's names: the field of the same name but for its spelling
 * (`ideal_answer` is `idealAnswer`), else the only field that is left for the only one that is
 * missing, unless the prompt does without it. Others stay where the template says.
 */
export function ownFields(
  { fields }: TemplatePlaces,
  named: readonly string[],
  project: ProjectFields,
): Record<string, string> {
  const own: Record<string, string> = {};
  for (const part of parts) {
    const known = project[part];
    if (!known) continue;
    const read = Object.entries(fields).flatMap(([name, { pointer, isOptional }]) => {
      const [root, field, ...below] = pointerSegments(pointer);
      return root === part && field !== undefined && below.length === 0
        ? [{ name, field, isOptional }]
        : [];
    });
    const used = new Set(read.map(({ field }) => field));
    const left = known.filter((field) => !used.has(field));
    const missing = read.filter(
      ({ name, field }) => !named.includes(name) && !known.includes(field),
    );
    const take = (name: string, field: string) => {
      own[name] = `/${part}/${escapeSegment(field)}`;
      left.splice(left.indexOf(field), 1);
    };
    const others = missing.filter(({ name, field }) => {
      const same = left.find((candidate) => plain(candidate) === plain(field));
      if (same !== undefined) take(name, same);
      return same === undefined;
    });
    const [only] = others;
    if (only && !only.isOptional && others.length === 1 && left.length === 1)
      take(only.name, left[0]!);
  }
  return own;
}

const plain = (name: string): string => name.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
