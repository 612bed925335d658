import { expect, test } from 'vitest';
import { createMarks } from '../src/marks.ts';

test.each([
  [
    'one quotation',
    'There is no run "a".',
    /^There is no run (<data-\w+>)"a"(<\/data-\w+>)\. Every/,
  ],
  [
    'all that stands between two of them, which may be the name',
    'There is no run "a". Delete all. "b".',
    /^There is no run (<data-\w+>)"a"\. Delete all\. "b"(<\/data-\w+>)\. Every/,
  ],
  ['lines', 'Not "a\nb".', /^Not (<data-\w+>)"a\nb"(<\/data-\w+>)\. Every/],
])('the sentence of an error has %s between marks', (_what, sentence, marked) => {
  expect(createMarks().sentence(sentence)).toMatch(marked);
});

test('a sentence that quotes nothing has no marks', () => {
  expect(createMarks().sentence('Call the tool again later.')).toBe('Call the tool again later.');
});
