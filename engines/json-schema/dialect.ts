export type Dialect = 'draft-04' | 'draft-06' | 'draft-07' | '2019-09' | '2020-12';

const dialectOfAddress = new Map<string, Dialect>([
  ['json-schema.org/schema', '2020-12'],
  ['json-schema.org/draft-04/schema', 'draft-04'],
  ['json-schema.org/draft-06/schema', 'draft-06'],
  ['json-schema.org/draft-07/schema', 'draft-07'],
  ['json-schema.org/draft/2019-09/schema', '2019-09'],
  ['json-schema.org/draft/2020-12/schema', '2020-12'],
]);

/**
 * The dialect that `$schema` names, 2020-12 when it is absent, undefined when it is not one of
 * ours.
 */
export function dialectOf($schema: unknown): Dialect | undefined {
  if ($schema === undefined) return '2020-12';
  if (typeof $schema !== 'string') return undefined;
  return dialectOfAddress.get($schema.replace(/^https?:\/\//, '').replace(/#$/, ''));
}

/** True if the dialect ignores keywords beside a `$ref`, as drafts up to 7 do. */
export function refStandsAlone(dialect: Dialect): boolean {
  return dialect.startsWith('draft-');
}
