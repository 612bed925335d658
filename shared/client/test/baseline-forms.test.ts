import { expect, test } from 'vitest';
import { nearForms } from '../baseline-forms.ts';
import examples from './baseline-forms.json' with { type: 'json' };

test.each(examples.slips)('$wanted is a slip in $near', ({ wanted, near }) =>
  expect(nearForms(wanted)).toEqual([near]),
);

test.each(examples.names)('%j is a name of its own', (wanted) =>
  expect(nearForms(wanted)).toEqual([]),
);
