import { expect, test } from 'vitest';
import {
  bodyOf,
  draftOf,
  firstDraft,
  scoresDiffer,
  withOutputType,
  withScale,
} from '../src/pages/metric/draft.ts';
import { membersIn, pointersIn } from '../src/pages/metric/names.ts';
import type { Metric } from '../src/text/metrics.ts';

const metric = {
  id: 'm',
  name: 'Right',
  description: null,
  evalType: 'ai',
  outputType: 'int',
  passingThreshold: 4,
  guidelines: 'Be strict.',
  promptTemplate: '{{ outputs }}',
  evalModelName: 'gpt-4o',
  temperature: null,
} as unknown as Metric;

test('the draft of a stored metric is sent as it is stored, with its defaults', () => {
  const { id: _, ...stored } = metric;
  expect(bodyOf(draftOf(metric))).toEqual({
    ...stored,
    votes: 1,
    seed: null,
    min: 1,
    max: 5,
    lowerIsBetter: false,
  });
});

test('text in place of a number is sent as it was typed, and an empty field by its default', () => {
  const draft = { ...draftOf(metric), passingThreshold: 'four', votes: '', temperature: '0.5' };
  expect(bodyOf(draft)).toMatchObject({ passingThreshold: 'four', votes: 1, temperature: 0.5 });
});

test('a scale is sent as it is written, and an empty end of a float metric is none', () => {
  const draft = draftOf({
    ...metric,
    outputType: 'float',
    passingThreshold: undefined,
    min: 1,
    max: null,
    lowerIsBetter: true,
  } as unknown as Metric);
  expect(draft).toMatchObject({ min: '1', max: '', lowerIsBetter: true, passingThreshold: '' });
  expect(bodyOf(draft)).toMatchObject({ min: 1, max: null, lowerIsBetter: true });
  expect(bodyOf(draft)).not.toHaveProperty('passingThreshold');
  expect(bodyOf({ ...draft, outputType: 'boolean' })).not.toHaveProperty('min');
});

test('a threshold that was the default moves with the scale and its direction, and another one stays', () => {
  const draft = { ...firstDraft, ...withOutputType(firstDraft, 'float') };
  expect(draft).toMatchObject({ min: '0', max: '1', passingThreshold: '0.9' });
  const wide = { ...draft, ...withScale(draft, { max: '100' }) };
  expect(wide.passingThreshold).toBe('90');
  expect(withScale(wide, { lowerIsBetter: true })).toMatchObject({ passingThreshold: '10' });
  expect(withScale({ ...wide, passingThreshold: '30' }, { max: '50' })).toEqual({ max: '50' });
  expect(withScale(wide, { max: '' })).toMatchObject({ passingThreshold: '' });
});

test('names make no new version, and fields of another shape neither', () => {
  const saved = draftOf(metric);
  expect(scoresDiffer(saved, { ...saved, name: 'Wrong', description: 'Other' })).toBe(false);
  expect(scoresDiffer(saved, { ...saved, source: 'Other' })).toBe(false);
  expect(scoresDiffer(saved, { ...saved, guidelines: 'Be mild.' })).toBe(true);
  expect(scoresDiffer(firstDraft, { ...firstDraft, votes: '' })).toBe(false);
});

test('names are completed from the record and from the schema of its testset', () => {
  const testset = {
    fieldMapping: { inputs: ['question', 'user'], expected: [], metadata: [] },
    jsonSchema: { properties: { user: { type: 'object', properties: { age: {} } } } },
  };
  const values = { inputs: { question: '?', 'not a name': 1 }, outputs: { steps: { first: 1 } } };
  const membersAt = membersIn({ values, testset: testset as never, subject: 'record' });
  expect(membersAt([])).toEqual(['inputs', 'expected', 'outputs', 'guidelines', 'all']);
  expect(membersAt(['inputs'])).toEqual(['question', 'user']);
  expect(membersAt(['inputs', 'user'])).toEqual(['age']);
  expect(membersAt(['all', 'outputs', 'steps'])).toEqual(['first']);
  expect(membersAt(['loop'])).toEqual([]);
});

test('names of a template about a pair are completed for both answers', () => {
  const values = { outputs: { steps: { first: 1 } } };
  const membersAt = membersIn({ values, testset: undefined, subject: 'pair' });
  expect(membersAt([])).toEqual(['inputs', 'expected', 'first', 'second', 'guidelines', 'all']);
  expect(membersAt(['second'])).toEqual(['outputs']);
  expect(membersAt(['first', 'outputs', 'steps'])).toEqual(['first']);
});

test('the pointers of a record are its members, the outer before the inner', () => {
  expect(pointersIn({ 'a/b': [{ c: 1 }], d: 2 })).toEqual(['/a~1b', '/d', '/a~1b/0', '/a~1b/0/c']);
});
