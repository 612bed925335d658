import { createSchemaChecker } from '@assay/json-schema/schema';
import { describe, expect, test } from 'vitest';
import { readFirstNumber } from '../src/ingredients/first-number.ts';
import { generateLines, type IngredientLine, topics } from '../src/ingredients/generate.ts';
import { gradeReading } from '../src/ingredients/grade.ts';
import { readNormalized } from '../src/ingredients/normalizing.ts';
import { readByPattern } from '../src/ingredients/pattern.ts';
import type { Reading } from '../src/ingredients/reading.ts';
import { ingredientTask } from '../src/ingredients/task.ts';

const lines = generateLines({ seed: 2 });
const readingOf = ({ quantity, unit, item }: IngredientLine): Reading => ({ quantity, unit, item });

/** The topics of which a program reads every line right. */
const mastered = (read: (line: string) => Reading) =>
  Object.keys(topics).filter((topic) =>
    lines.every(
      (line) =>
        line.topic !== topic ||
        gradeReading({ expected: readingOf(line), output: read(line.line) }).value === 5,
    ),
  );

describe('the generator', () => {
  test('makes at least 200 lines, no two alike, the same number of each topic', () => {
    expect(lines.length).toBeGreaterThanOrEqual(200);
    expect(new Set(lines.map(({ line }) => line)).size).toBe(lines.length);
    for (const topic of Object.keys(topics))
      expect(lines.filter((line) => line.topic === topic)).toHaveLength(15);
  });

  test('makes the same lines for the same seed, and others for another', () => {
    expect(generateLines({ seed: 2 })).toEqual(lines);
    expect(generateLines({ seed: 3 })).not.toEqual(lines);
  });

  test('makes lines that fit the schema of their testset', async () => {
    const checker = createSchemaChecker({ workers: 1 });
    try {
      const { testset, testcases } = ingredientTask();
      const schemaText = JSON.stringify(testset.jsonSchema);
      const documents = [...testcases, { line: '' }].map((testcase) => JSON.stringify(testcase));
      const found = await checker.validate({ schemaText, schemaHash: 'lines', documents });
      const isFit = found.map((problems) => problems.length === 0);
      expect(isFit).toEqual([...testcases.map(() => true), false]);
    } finally {
      await checker.close();
    }
  });

  test('gives every key of a line one role: input, expected or metadata', () => {
    const { inputs, expected, metadata } = ingredientTask().testset.fieldMapping;
    for (const line of ingredientTask().testcases)
      expect(Object.keys(line).sort()).toEqual([...inputs, ...expected, ...metadata].sort());
  });
});

describe('version 1', () => {
  test('reads plain lines', () => {
    expect(mastered(readFirstNumber)).toEqual([
      'metric weight',
      'whole cups and spoons',
      'counted things',
      'decimal point',
    ]);
  });

  test.each<[string, Reading, string]>([
    [
      '1/2 cup milk',
      { quantity: 1, unit: 'cup', item: 'milk' },
      'takes the first digit of a fraction',
    ],
    [
      '2 1/2 cups flour',
      { quantity: 2, unit: null, item: '1/2 cups flour' },
      'stops before a fraction',
    ],
    ['1,000 g flour', { quantity: 1, unit: 'g', item: 'flour' }, 'stops at a comma'],
    ['2 tbsp oil', { quantity: 2, unit: null, item: 'tbsp oil' }, 'knows no abbreviation'],
    ['½ cup milk', { quantity: null, unit: null, item: '½ cup milk' }, 'knows no fraction sign'],
    [
      '2 onions, diced',
      { quantity: 2, unit: null, item: 'onions, diced' },
      'keeps the preparation',
    ],
  ])('%s: %o, because it %s', (line, reading) => expect(readFirstNumber(line)).toEqual(reading));
});

describe('version 2', () => {
  test('reads thousands, fractions, packages and preparations', () => {
    const both = ['metric weight', 'whole cups and spoons', 'counted things', 'decimal point'];
    const own = [
      'number and unit together',
      'simple fraction',
      'mixed number',
      'preparation',
      'package',
      'thousands',
    ];
    expect(mastered(readByPattern)).toEqual([...both, ...own]);
  });

  test.each<[string, Reading, string]>([
    [
      '1,5 kg flour',
      { quantity: 15, unit: 'kg', item: 'flour' },
      'takes every comma for one between thousands',
    ],
    ['1½ cups milk', { quantity: 1, unit: null, item: '½ cups milk' }, 'knows no fraction sign'],
    [
      'two cups milk',
      { quantity: null, unit: null, item: 'two cups milk' },
      'knows no number word',
    ],
    [
      '2 to 3 onions',
      { quantity: 2, unit: null, item: 'to 3 onions' },
      'knows ranges with a dash only',
    ],
    [
      '2 T salt',
      { quantity: 2, unit: 'teaspoon', item: 'salt' },
      'takes a tablespoon for a teaspoon',
    ],
  ])('%s: %o, because it %s', (line, reading) => expect(readByPattern(line)).toEqual(reading));
});

describe('version 3', () => {
  test('reads every topic right but abbreviations and, a regression, thousands', () => {
    const missed = Object.keys(topics).filter((topic) => !mastered(readNormalized).includes(topic));
    expect(missed).toEqual(['abbreviation', 'thousands']);
  });

  test('takes a comma between thousands for a decimal one, which version 2 read right', () => {
    expect(readNormalized('1,250 g flour')).toEqual({ quantity: 1.25, unit: 'g', item: 'flour' });
    expect(readByPattern('1,250 g flour')).toEqual({ quantity: 1250, unit: 'g', item: 'flour' });
  });

  test.each<[string, Reading]>([
    ['1,5 kg flour', { quantity: 1.5, unit: 'kg', item: 'flour' }],
    ['1½ cups milk', { quantity: 1.5, unit: 'cup', item: 'milk' }],
    ['a pinch of salt', { quantity: 1, unit: 'pinch', item: 'salt' }],
    ['a dozen eggs', { quantity: 12, unit: null, item: 'eggs' }],
    ['2 to 3 onions', { quantity: 2, unit: null, item: 'onions' }],
    ['black pepper to taste', { quantity: null, unit: null, item: 'black pepper' }],
  ])('reads %s', (line, reading) => expect(readNormalized(line)).toEqual(reading));
});

describe('the grade', () => {
  const expected: Reading = { quantity: 2, unit: 'cup', item: 'flour' };
  test.each([
    [5, {}],
    [4, { item: 'flour, sifted' }],
    [3, { unit: null }],
    [2, { quantity: null }],
    [2, { quantity: 2.5 }],
    [1, { quantity: 4 }],
    [1, { quantity: 1 }],
  ] as const)('is %i for a reading with %o', (value, wrong) => {
    expect(gradeReading({ expected, output: { ...expected, ...wrong } }).value).toBe(value);
  });

  test('is 1 where an amount is invented', () => {
    expect(
      gradeReading({ expected: { ...expected, quantity: null }, output: expected }).value,
    ).toBe(1);
  });
});
