import { expect, test } from 'vitest';
import { readSources } from './imports.ts';

const rules: [string, RegExp][] = [
  [
    'a function with a body is declared, not assigned',
    /^(export )?const \w+ = (async )?(<[^>]*>)?\([^=]*\)[^=]* => \{$/gm,
  ],
  ['an object type is an interface', /^(export )?type \w+ = \{[^[{}]*\};$/gm],
  ['a constant is in camelCase', /^(export )?const [A-Z][A-Z0-9]*(_[A-Z0-9]+)* =/gm],
];

test.each(rules)('%s', (_rule, pattern) => {
  const found = readSources().flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(([line]) => `${path}: ${line}`),
  );
  expect(found).toEqual([]);
});
