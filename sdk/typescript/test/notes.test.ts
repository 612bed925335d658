import { expect, test } from 'vitest';
import { type Note, noteLines } from '../src/notes.ts';

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
  const lines = noteLines([...others, ...failures]);
  expect(lines.slice(0, 7)).toEqual(failures.map(({ text }) => text));
  expect(lines.slice(7)).toEqual([...others.slice(0, 5).map(({ text }) => text), '(4 more)']);
});
