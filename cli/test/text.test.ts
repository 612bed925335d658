import { expect, test } from 'vitest';
import { readRoles } from '../src/import/choices.ts';
import { csvCell, wrap } from '../src/text.ts';

test('a paragraph is cut at its words', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('extraordinary one', 7)).toEqual(['extraordinary', 'one']);
});

test('a cell of CSV keeps commas, quotes and lines, and is no formula', () => {
  expect(csvCell('a,"b"\nc')).toBe('"a,""b""\nc"');
  expect(csvCell('=1+1')).toBe("'=1+1");
  expect(csvCell('-1.5')).toBe('-1.5');
});

test('roles are read, or refused with their form', () => {
  expect(readRoles(['a=b=input'])).toEqual({ 'a=b': 'input' });
  expect(() => readRoles(['a=label'])).toThrow('FIELD=ROLE');
});
