import { expect, test } from 'vitest';
import { readAnswers } from '../src/pages/new-run/answer-file.ts';
import {
  answerColumns,
  answersIn,
  type FieldMapping,
  matchAnswers,
  type Testcase,
} from '../src/pages/new-run/match-answers.ts';

const mapping: FieldMapping = { inputs: ['question'], expected: ['expected'], metadata: ['topic'] };
const testcases: Testcase[] = ['France', 'Peru', 'Chad'].map((country, index) => ({
  id: `id-${index}`,
  key: country,
  inputs: { question: `Capital of ${country}?` },
  expected: { expected: 'x' },
}));

const read = (text: string) => readAnswers(new File([text], 'a'), new AbortController().signal);

async function match(text: string, { of = testcases, by = mapping } = {}) {
  const file = await read(text);
  const matching = matchAnswers(file, of, by);
  return {
    way: matching.way,
    matched: matching.matched.map(({ row, testcase }) => [row.number, testcase.id]),
    unmatched: matching.unmatched.map(({ row, reason }) => [row.number, reason]),
    columns: answerColumns(file, matching, by),
    matching,
  };
}

test('rows find their testcases by keys, in any order', async () => {
  const { way, matched, unmatched, columns } = await match(
    'key,answer\nChad,a\nFrance,b\nMars,c\n',
  );
  expect(way).toEqual({ by: 'key', columns: ['key'] });
  expect(matched).toEqual([
    [2, 'id-2'],
    [3, 'id-0'],
  ]);
  expect(unmatched).toEqual([[4, 'No testcase has this key.']]);
  expect(columns).toEqual({ possible: ['answer'], suggested: ['answer'] });
});

test('rows find their testcases by ids, and by a metadata field that has their keys', async () => {
  expect((await match('{"id":"id-1","v":1}\n')).matched).toEqual([[1, 'id-1']]);
  expect((await match('topic,v\nPeru,1\n')).way).toEqual({ by: 'key', columns: ['topic'] });
});

test('rows find their testcases by a column that is called like an input, without its spaces and line ends', async () => {
  const { way, matched } = await match(
    '{"question":" Capital of Peru?\\r\\n","answer":"Lima"}\n{"question":"Capital of Chad?","answer":"N"}\n',
  );
  expect(way).toEqual({ by: 'inputs', columns: ['question'] });
  expect(matched).toEqual([
    [1, 'id-1'],
    [2, 'id-2'],
  ]);
});

test('rows find their testcases by a column of another name that has the only input', async () => {
  const { way, columns } = await match('prompt,reply\nCapital of Peru?,Lima\n');
  expect(way).toEqual({ by: 'inputs', columns: ['prompt'] });
  expect(columns.suggested).toEqual(['reply']);
});

test('a number in a table is the number of a testcase', async () => {
  const of = [{ id: 'a', inputs: { n: 12, question: { z: 1, a: 2 } }, expected: {} }];
  const by = { inputs: ['n', 'question'], expected: [], metadata: [] };
  const { matched } = await match('n,question,v\n12,"{""a"": 2, ""z"": 1}",x\n', { of, by });
  expect(matched).toEqual([[2, 'a']]);
});

test('rows go by their order where they name nothing and are as many', async () => {
  const { way, matched } = await match('v1,v2\na,b\nc,d\ne,f\n');
  expect(way).toEqual({ by: 'order', columns: [] });
  expect(matched).toEqual([
    [2, 'id-0'],
    [3, 'id-1'],
    [4, 'id-2'],
  ]);
  expect((await match('v1,v2\na,b\nc,d\n')).way).toBeUndefined();
});

test('rows that name other testcases do not go by their order', async () => {
  const { way, unmatched } = await match('question,v\na?,b\nc?,d\ne?,f\n');
  expect(way).toBeUndefined();
  expect(unmatched).toHaveLength(3);
});

test('a testcase has one answer, and equal testcases have one each', async () => {
  const twice = await match('key,v\nPeru,a\nPeru,b\n');
  expect(twice.matched).toEqual([[2, 'id-1']]);
  expect(twice.unmatched).toEqual([[3, 'Row 2 answers the same testcase.']]);
  const same = { inputs: { question: 'Same?' }, expected: {} };
  const of = [
    { id: 'a', ...same },
    { id: 'b', ...same },
  ];
  expect((await match('question,v\nSame?,x\nSame?,y\n', { of })).matched).toEqual([
    [2, 'a'],
    [3, 'b'],
  ]);
});

test('a row that cannot be read says why, and the others are matched', async () => {
  const { matched, unmatched } = await match('key,v\nPeru,a\nChad\n');
  expect(matched).toHaveLength(1);
  expect(unmatched).toEqual([[3, 'has 1 cells, but the header line has 2']]);
});

test('columns of answers are guessed, and an empty cell is no answer', async () => {
  const { columns, matching } = await match(
    'question,expected,note,answer,gpt-4o\nCapital of Peru?,Lima,n,,Lima\n',
  );
  expect(columns).toEqual({
    possible: ['expected', 'note', 'answer', 'gpt-4o'],
    suggested: ['answer', 'gpt-4o'],
  });
  expect(answersIn(matching.matched, 'answer')).toEqual([]);
  expect(answersIn(matching.matched, 'gpt-4o')).toHaveLength(1);
  expect((await match('question,expected\nCapital of Peru?,Lima\n')).columns.suggested).toEqual([
    'expected',
  ]);
});

test('objects and lists of a cell are values, and a file without rows is refused', async () => {
  const { rows } = await read('key,v,w\nPeru,"{""text"":""Lima""}",007\n');
  expect([...rows[0]!.values]).toEqual([
    ['key', 'Peru'],
    ['v', { text: 'Lima' }],
    ['w', '007'],
  ]);
  await expect(read('key,answer\n')).rejects.toThrow('There are no rows.');
});
