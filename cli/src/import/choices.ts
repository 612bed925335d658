import type { ImportOptions } from '@assay/import/item';
import { UsageFailure } from '../failure.ts';

type Role = NonNullable<ImportOptions['roles']>[string];

const roles: readonly string[] = ['input', 'expected', 'metadata', 'ignored'] satisfies Role[];

/** Reads `question=input` and its like. */
export function readRoles(texts: string[]): Record<string, Role> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, field, role] = /^(.+)=(\w+)$/s.exec(text) ?? [];
      if (field === undefined || !roles.includes(role!))
        throw new UsageFailure(
          `Error: "${text}" gives no role: write FIELD=ROLE, a role being ${roles.join(', ')}.`,
        );
      return [field, role as Role];
    }),
  );
}

/** Reads `tone=good,ok:bad`: the words that pass, and those that do not. */
export function readCategories(texts: string[]): Record<string, Record<string, boolean>> {
  return Object.fromEntries(
    texts.map((text) => {
      const [, metric, passing, failing] = /^(.+?)=([^:]+)(?::(.*))?$/s.exec(text) ?? [];
      if (metric === undefined || passing === undefined)
        throw new UsageFailure(
          `Error: "${text}" names no words: write METRIC=PASSING,WORDS:FAILING,WORDS.`,
        );
      const words = (list: string, passes: boolean) =>
        list
          .split(',')
          .filter((word) => word !== '')
          .map((word) => [word, passes] as const);
      return [
        metric,
        Object.fromEntries([...words(passing, true), ...words(failing ?? '', false)]),
      ];
    }),
  );
}
