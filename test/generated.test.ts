import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { contracts } from '@assay/contracts/all';
import { isDocumented } from '@assay/contracts/define';
import { expect, test } from 'vitest';
import { generated } from '../scripts/generate.ts';
import { root } from './imports.ts';

const written = (name: string) => readFileSync(join(root, name), 'utf8');

test.each(Object.keys(generated))(
  '%s is what the code says; npm run generate writes it anew',
  (name) => {
    expect(generated[name]!() === written(name), `${name} is out of date: npm run generate`).toBe(
      true,
    );
  },
);

test('docs/events.md names every question, event and job, and docs/openapi.json every operation that clients may call', () => {
  const messages = contracts.flatMap(({ questions, events, jobs }) =>
    Object.keys({ ...questions, ...events, ...jobs }),
  );
  for (const name of messages) expect(written('docs/events.md')).toContain(`\`${name}\``);
  const paths: Record<string, Record<string, { operationId: string }>> = JSON.parse(
    written('docs/openapi.json'),
  ).paths;
  const documented = Object.values(paths).flatMap((methods) =>
    Object.values(methods).map(({ operationId }) => operationId),
  );
  const callable = contracts.flatMap(({ operations }) =>
    Object.entries(operations).flatMap(([name, definition]) =>
      isDocumented(definition) ? [name] : [],
    ),
  );
  expect(documented.toSorted()).toEqual(callable.toSorted());
});
