import { describe, expect, test } from 'vitest';
import { answerFormOf } from '../src/domain/judging/answer.ts';

/** The schema of the value that a judge of such a metric answers. */
function schemaOf(metric: Parameters<typeof answerFormOf>[0]) {
  const { field, schema } = answerFormOf(metric);
  return (schema as { properties: Record<string, object> }).properties[field];
}

describe('a judge is told the scale of the metric', () => {
  test('the usual ones in the words that they had', () => {
    expect(schemaOf({ outputType: 'int' })).toEqual({
      type: 'integer',
      enum: [1, 2, 3, 4, 5],
      description: 'From 1, the criteria are not met at all, to 5, they are met fully.',
    });
    expect(schemaOf({ outputType: 'float' })).toMatchObject({ minimum: 0, maximum: 1 });
  });

  test('with other ends', () => {
    expect(schemaOf({ outputType: 'float', min: 0, max: 100 })).toEqual({
      type: 'number',
      minimum: 0,
      maximum: 100,
      description: 'From 0, the criteria are not met at all, to 100, they are met fully.',
    });
    expect(schemaOf({ outputType: 'int', min: 0, max: 1000 })).toMatchObject({
      minimum: 0,
      maximum: 1000,
    });
  });

  test('with the bad end above', () => {
    expect(schemaOf({ outputType: 'float', lowerIsBetter: true })).toMatchObject({
      description:
        'From 0, nothing of what the criteria describe is there, to 1, as much of it as can be: less is better.',
    });
    expect(schemaOf({ outputType: 'boolean', lowerIsBetter: true })).toMatchObject({
      description: 'true: what the criteria describe is there, which is bad. false: it is not.',
    });
    expect(
      answerFormOf({ outputType: 'boolean', subject: 'pair', lowerIsBetter: true }).meaning,
    ).toBe(
      'first: the first answer has less of what the criteria describe, which is better. second: the second has. tie: neither.',
    );
  });

  test('without an end', () => {
    expect(schemaOf({ outputType: 'float', min: 1, max: null, lowerIsBetter: true })).toMatchObject(
      {
        minimum: 1,
        description: 'It is a number from 1 up: the less, the better.',
      },
    );
  });

  test('by one form, so that the check of its answers is compiled once', () => {
    expect(answerFormOf({ outputType: 'float', max: 7 })).toBe(
      answerFormOf({ outputType: 'float', min: 0, max: 7 }),
    );
  });
});
