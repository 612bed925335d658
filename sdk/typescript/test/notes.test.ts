import { expect, test } from 'vitest';
import { type Note, noteLines, shownLines } from '../src/notes.ts';

test('notes name their metric, and equal ones are one line with their count', () => {
  const few = 'Only 3 pairs.';
  const notes: Note[] = [
    ...['A', 'B', 'C', 'D', 'E'].map((metric) => ({ text: few, metric })),
    { text: 'Twice.' },
    { text: 'Twice.' },
    { text: 'Once.', metric: 'A' },
  ];
  expect(noteLines(notes)).toEqual([
    '"A", "B", "C" and 2 more: Only 3 pairs.',
    'Twice. (2 times)',
    '"A": Once.',
  ]);
});

test('a scorer that failed is told before all others, and never hidden', () => {
  const others = Array.from({ length: 9 }, (_, index) => ({ text: `Note ${index}.` }));
  const failures = Array.from({ length: 7 }, (_, index) => ({
    text: `The scorer ${index} failed on 1 record.`,
    isFailure: true,
  }));
  const lines = shownLines([...others, ...failures]);
  expect(lines.slice(0, 7)).toEqual(failures.map(({ text }) => text));
  expect(lines.slice(7)).toEqual([...others.slice(0, 5).map(({ text }) => text), '(4 more)']);
});

test('what the result rests on is not hidden by notes on runs that were passed over', () => {
  const passedOver = Array.from({ length: 9 }, (_, index) => ({ text: `Passed over ${index}.` }));
  const notes = [
    ...passedOver,
    { text: 'Compared with run "A".', isMain: true },
    { text: 'The system failed on 1 record.', isFailure: true },
  ];
  const kept = ['The system failed on 1 record.', 'Compared with run "A".'];
  const texts = passedOver.map(({ text }) => text);
  expect(shownLines(notes)).toEqual([...kept, ...texts.slice(0, 5), '(4 more)']);
  expect(noteLines(notes)).toEqual([...kept, ...texts]);
});
