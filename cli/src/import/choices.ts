import type { Role } from '@assay/import/item';
import { UsageFailure } from '../failure.ts';

const roles: readonly string[] = [
  'input',
  'expected',
  'metadata',
  'output',
  'ignored',
] satisfies Role[];

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
