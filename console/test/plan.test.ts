import { expect, test } from 'vitest';
import type { Entry } from '../src/files/entries.ts';
import { type Definition, fieldsOf, noFields } from '../src/pages/testset/fields.ts';
import {
  dataWriter,
  definitionOf,
  faultOf,
  newFields,
  suggestPlan,
} from '../src/pages/testset/import/plan.ts';
import { pastedRows } from '../src/pages/testset/pasted.ts';

const entry = (values: Record<string, string>): Entry => ({
  number: 2,
  values: new Map(Object.entries(values)),
  source: { text: '' },
});
const row = { question: 'Why?', expected_answer: 'So.', score: '7', _error: 'is wrong' };
const columns = Object.keys(row);
const plan = suggestPlan(columns, [entry(row)], { definition: noFields, isTable: true });
const definition: Definition = {
  jsonSchema: { properties: { question: { type: 'string' }, score: { type: 'string' } } },
  fieldMapping: { inputs: ['question'], expected: [], metadata: ['score'] },
};

test('the columns of a file become inputs of a new testset, but for those that are expected by their name', () => {
  expect(plan.map(({ field, role, type }) => [field, role, type])).toEqual([
    ['question', 'inputs', 'string'],
    ['expected_answer', 'expected', 'string'],
    ['score', 'inputs', 'integer'],
    ['_error', 'ignore', 'string'],
  ]);
  const made = definitionOf(plan, noFields);
  expect(made.fieldMapping).toEqual({
    inputs: ['question', 'score'],
    expected: ['expected_answer'],
    metadata: [],
  });
  const write = dataWriter(plan, { definition: made, isTable: true });
  expect(write(entry(row))).toBe('{"question":"Why?","expected_answer":"So.","score":7}');
});

test('the columns of a file become the fields of their name in a testset that has them', () => {
  const here = suggestPlan(columns, [entry(row)], { definition, isTable: true });
  expect(here.map(({ role }) => role)).toEqual(['inputs', 'metadata', 'metadata', 'ignore']);
  expect(newFields(here, definition).map(({ field }) => field)).toEqual(['expected_answer']);
  const write = dataWriter(here, { definition, isTable: true });
  expect(write(entry(row))).toBe('{"question":"Why?","expected_answer":"So.","score":"7"}');
});

test('an object of a file keeps its values as they are written, on one line', () => {
  const write = dataWriter([{ column: 'a', field: 'b', role: 'inputs', type: 'any' }], {
    definition: noFields,
    isTable: false,
  });
  expect(write(entry({ a: '[1.50,\r\n"x\\n"]', late: '1e400' }))).toBe(
    '{"b":[1.50, "x\\n"],"late":1e400}',
  );
});

test('a plan with one field for two columns, or with none, is refused', () => {
  expect(faultOf(plan)).toBeUndefined();
  expect(faultOf(plan.map((one) => ({ ...one, field: 'same' })))).toContain('“same”');
  expect(faultOf(plan.map((one) => ({ ...one, field: '' })))).toBe('A field has no name.');
  expect(faultOf(plan.map((one) => ({ ...one, role: 'ignore' })))).toContain('ignored');
});

test('pasted rows are read in the order of the fields, or as their first row says', () => {
  const fields = fieldsOf(definition);
  const jsons = (text: string) => pastedRows(text, fields).rows.map(({ json }) => json);
  expect(jsons('a\t1\tout\r\nb\r\n')).toEqual(['{"question":"a","score":"1"}', '{"question":"b"}']);
  expect(jsons('score\tquestion\n1\t"x\ny"')).toEqual(['{"score":"1","question":"x\\ny"}']);
  expect(pastedRows('a\t1\tout', fields).columns).toEqual(['question', 'score', undefined]);
  expect(jsons('')).toEqual([]);
});
