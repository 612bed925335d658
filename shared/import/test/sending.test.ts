import { createHash } from 'node:crypto';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { readCategories } from '../formats/categories.ts';
import { lossSentence, reportLines } from '../sending/report.ts';
import { sha256 } from '../sending/sha256.ts';

test('the key of a row without one is the same in a browser and on the command line of any version', () => {
  const digest = (text: string) => createHash('sha256').update(text).digest('hex');
  expect(sha256('{"question":"Where is it?"}')).toBe(digest('{"question":"Where is it?"}'));
  for (const length of [55, 56, 63, 64, 119, 120])
    expect(sha256('x'.repeat(length))).toBe(digest('x'.repeat(length)));
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme', maxLength: 300 }), (text) => {
      expect(sha256(text)).toBe(digest(text));
    }),
  );
});

test('words of scores are read, or refused with their form', () => {
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
