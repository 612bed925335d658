import { expect, test } from 'vitest';
import { readCategories, readRoles } from '../src/import/choices.ts';
import { lossSentence, reportLines } from '../src/import/report.ts';
import { nearNames, unknownName } from '../src/names.ts';
import { csvCell, wrap } from '../src/text.ts';

test('names that are like a mistyped one are found, others are not', () => {
  const names = ['Support', 'Support (old)', 'Billing', 'support'];
  expect(nearNames('Suport', names)).toEqual(['Support', 'support', 'Support (old)']);
  expect(nearNames('xyz', names)).toEqual([]);
});

test('an unknown name ends with a remedy, whatever there is', () => {
  const wanted = { kind: 'run', wanted: 'zzz' };
  expect(unknownName(wanted, []).message).toContain('There is no run yet');
  const many = Array.from({ length: 7 }, (_, index) => ({ id: `${index}`, name: `Run ${index}` }));
  expect(unknownName(wanted, many).message).toMatch(/"Run 4" and 2 more: give one of them\.$/);
});

test('a paragraph is cut at its words', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three']);
  expect(wrap('extraordinary one', 7)).toEqual(['extraordinary', 'one']);
});

test('a cell of CSV keeps commas, quotes and lines, and is no formula', () => {
  expect(csvCell('a,"b"\nc')).toBe('"a,""b""\nc"');
  expect(csvCell('=1+1')).toBe("'=1+1");
  expect(csvCell('-1.5')).toBe('-1.5');
});

test('roles and words of scores are read, or refused with their form', () => {
  expect(readRoles(['a=b=input'])).toEqual({ 'a=b': 'input' });
  expect(() => readRoles(['a=label'])).toThrow('FIELD=ROLE');
  expect(readCategories(['tone=good,ok:bad'])).toEqual({
    tone: { good: true, ok: true, bad: false },
  });
  expect(() => readCategories(['tone'])).toThrow('METRIC=PASSING');
});

test('an import is told by what is new, there already and lost', () => {
  const lines = reportLines({
    dryRun: true,
    format: 'csv',
    files: ['a.csv'],
    project: { id: 'p', name: 'Support', isNew: false },
    testsets: [
      {
        ...{ id: null, name: 'a', isNew: true },
        ...{ created: 2000, updated: 0, unchanged: 0, deleted: 0, refused: 1, invalid: 0 },
      },
    ],
    metrics: [],
    systems: [],
    runs: [],
    annotations: 0,
    losses: [],
  });
  expect(lines).toEqual([
    'Nothing was stored. The import would come to:',
    'Project "Support": there already',
    'Testset "a": to be made; testcases: 2,000 new, 1 refused',
  ]);
  const place = { file: 'a.csv', line: 3 };
  expect(lossSentence({ place, reason: 'It is gone.', count: 2 })).toBe(
    'a.csv, line 3: It is gone. (2 times)',
  );
});
