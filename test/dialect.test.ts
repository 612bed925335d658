import { expect, test } from 'vitest';
import { readSources } from './imports.ts';

const rules: [string, RegExp][] = [
  [
    'a function with a body is declared, not assigned',
    /^(export )?const \w+ = (async )?(<[^>]*>)?\([^=]*\)[^=]* => \{$/gm,
  ],
  ['an object type is an interface', /^(export )?type \w+ = \{[^[{}]*\};$/gm],
  [
    'no type is named by a participle alone',
    /^(export )?(interface|type) ((?!Token|Screen)[A-Z][a-z]+(ed|en|own)|Read|Kept|Found|Said|Held|Told|Sent|Built|Made)\b/gm,
  ],
  ['a constant is in camelCase', /^(export )?const [A-Z][A-Z0-9]*(_[A-Z0-9]+)* =/gm],
  // A busy machine shows it later. What is not there has nothing to wait for.
  [
    'what a page shows is polled for',
    /^ +expect\(await [^;\n]*\.(count(?=\(\))|(all)?(textContent|innerText)s?|inputValue|isVisible|isChecked|isEnabled|isDisabled)\([^()\n]*\)\)\.to\w+\((?!0\)|false\)|''\)|\[\]\))/gim,
  ],
  // Node hands every one that was used to every promise of the process.
  ['an AsyncLocalStorage is made once, by its module', /^ [^/\n]*new AsyncLocalStorage\b/gm],
];

test.each(rules)('%s', (_rule, pattern) => {
  const found = readSources().flatMap(({ path, text }) =>
    [...text.matchAll(pattern)].map(([line]) => `${path}: ${line}`),
  );
  expect(found).toEqual([]);
});
