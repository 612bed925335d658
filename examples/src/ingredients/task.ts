import { cookGuidelines, cookPrompt } from '@assay/local/demo-judge/cook';
import type { FlipView } from '../comparing.ts';
import type { Evaluation } from '../evaluation.ts';
import { readFirstNumber } from './first-number.ts';
import { generateLines } from './generate.ts';
import { gradeReading } from './grade.ts';
import { readNormalized } from './normalizing.ts';
import { readByPattern } from './pattern.ts';
import { type Reading, units } from './reading.ts';

const readers = [
  {
    name: 'v1 first number',
    config: { reader: 'first-number', version: 1 },
    read: readFirstNumber,
  },
  { name: 'v2 pattern', config: { reader: 'pattern', version: 2 }, read: readByPattern },
  { name: 'v3 normalizing', config: { reader: 'normalizing', version: 3 }, read: readNormalized },
];

const everyFieldRight = 'Every field right';

const jsonSchema = {
  type: 'object',
  properties: {
    line: { type: 'string', minLength: 1 },
    quantity: { type: ['number', 'null'], exclusiveMinimum: 0 },
    unit: { enum: [...units, null] },
    item: { type: 'string', minLength: 1 },
    topic: { type: 'string' },
    difficulty: { enum: ['easy', 'medium', 'hard'] },
  },
  required: ['line', 'quantity', 'unit', 'item', 'topic', 'difficulty'],
  additionalProperties: false,
};

/**
 * Three programs that read the lines of recipes, judged by two evaluators of the service, by a grade
 * of our own, and by a model, where one is named.
 */
export const ingredientTask = (judgeModel?: string): Evaluation => ({
  title: 'ingredient lines',
  description: 'What do the lines of recipes say? Three versions of a reader.',
  testset: {
    name: 'Ingredient lines',
    description: '15 lines of each of 16 topics, as cooks write them',
    jsonSchema,
    fieldMapping: {
      inputs: ['line'],
      expected: ['quantity', 'unit', 'item'],
      metadata: ['topic', 'difficulty'],
    },
  },
  testcases: generateLines({ seed: 2 }).map((line) => ({ ...line })),
  metrics: [
    {
      name: everyFieldRight,
      description: 'Quantity, unit and item are all as expected.',
      evalType: 'heuristic',
      outputType: 'boolean',
      builtin: { name: 'json_equal', options: { output: '', expected: '' } },
    },
    {
      name: 'Words of the item',
      description: 'How far the words of the item are the expected ones (F1).',
      evalType: 'heuristic',
      outputType: 'float',
      builtin: { name: 'token_f1', options: { output: '/item', expected: '/item' } },
    },
    {
      name: "Cook's grade",
      description:
        'How well a cook fares who trusts the reading, from 1 (the dish is spoilt) to 5.',
      evalType: 'heuristic',
      outputType: 'int',
      guidelines:
        '5 all right · 4 a wrong name · 3 a wrong unit · 2 an amount that is missing or a bit off · 1 at least twice as much, or half',
      grade: ({ expected, outputs }) =>
        gradeReading({
          expected: expected as unknown as Reading,
          output: outputs as unknown as Reading,
        }),
    },
    ...(judgeModel === undefined
      ? []
      : [
          {
            name: 'Usable for a cook',
            description:
              'A judge, whose part the demo itself plays: change its guidelines, and see what flips.',
            evalType: 'ai' as const,
            outputType: 'boolean' as const,
            evalModelName: judgeModel,
            guidelines: cookGuidelines,
            promptTemplate: cookPrompt,
          },
        ]),
  ],
  system: { name: 'Ingredient line reader', description: 'Text in, quantity, unit and item out' },
  versions: readers.map(({ name, config, read }) => ({
    name,
    config,
    model: config.reader,
    answer: ({ inputs }) => ({ ...read(String(inputs.line)) }),
  })),
});

/** A line, and how each of two versions reads it: "2 tablespoon · olive oil". */
export const readingView: FlipView = {
  metric: everyFieldRight,
  title: 'LINE',
  input: ({ line }) => String(line),
  output: (outputs) => {
    const { quantity, unit, item } = outputs as unknown as Reading;
    const amount = quantity === null ? '–' : String(Number(quantity.toFixed(3)));
    return `${amount}${unit === null ? '' : ` ${unit}`} · ${item}`;
  },
};
