import { expect, test } from 'vitest';
import { nearForms } from '../src/baseline.ts';

test.each([
  ['prodution', ['production']],
  ['PRODUCTION', ['production']],
  ['prod', ['production']],
  ['basline', ['baseline']],
  ['Baseline', ['baseline']],
  ['brnch:main', ['branch:main']],
  ['Branch:main', ['branch:main']],
  ['latset:Nightly: de', ['latest:Nightly: de']],
  ['latest', ['latest:']],
  ['branch/main', ['branch:']],
])('%s is a slip of %j', (wanted, [near]) => {
  expect(nearForms(wanted)[0]).toBe(near);
});

test.each([
  'production',
  'baseline',
  'branch:main',
  'latest:Nightly',
  'Nightly',
  'v1:de',
  'Prompt 13',
])('%s is a name of its own', (wanted) => {
  expect(nearForms(wanted)).toEqual([]);
});
