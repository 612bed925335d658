import { defineFormat } from '../assemble.ts';
import type { Fields } from '../entity.ts';
import { fieldsOf, only, without } from '../reading/json-values.ts';
import { has, sketchOf } from '../reading/sketch.ts';
import { stemOf } from '../source.ts';
import { testsetPerFile } from './testset-per-file.ts';

const inputs = ['input', 'context', 'scenario', 'turns', 'user_description'];
const expected = ['expected_output', 'expected_tools', 'expected_outcome'];
const outputs = ['actual_output', 'retrieval_context', 'tools_called'];

/** Goldens of deepeval; those that have an actual output are records of one run too. */
const items = testsetPerFile(['/goldens', '/test_cases'], (row, { lose }) => {
  const { value, place, fileName, isTable } = row;
  const golden = isTable
    ? cutAtBars(filled(value), (reason) => lose(place, reason))
    : filled(value);
  const { additional_metadata: extra, ...metadata } = without(
    golden,
    ...inputs,
    ...expected,
    ...outputs,
  );
  return {
    place,
    testcase: {
      inputs: only(golden, ...inputs),
      expected: only(golden, ...expected),
      metadata: { ...metadata, ...fieldsOf(extra, 'additional_metadata') },
    },
    ...(golden.actual_output === undefined
      ? {}
      : {
          run: { id: fileName, name: stemOf(fileName) },
          record: { outputs: only(golden, ...outputs) },
        }),
  };
});

const filled = (row: Fields): Fields =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== ''));

/** Lists of texts, which deepeval joins by a bar in CSV. */
const joined = ['context', 'retrieval_context'];

function cutAtBars(golden: Fields, lose: (reason: string) => void): Fields {
  const lists = joined.flatMap((name) => {
    const text = golden[name];
    if (typeof text !== 'string') return [];
    if (text.includes('|'))
      lose(`"${name}" is a list again, cut at each "|": a text that had one is in two parts.`);
    return [[name, text.split('|')] as const];
  });
  return { ...golden, ...Object.fromEntries(lists) };
}

export const deepeval = defineFormat({
  name: 'deepeval',
  title: 'deepeval goldens',
  detect(head) {
    const sketch = sketchOf(head);
    if (has(sketch, 'input', 'expected_output'))
      return has(sketch, 'actual_output') ||
        has(sketch, 'context') ||
        has(sketch, 'retrieval_context')
        ? 0.85
        : 0.5;
    return /"goldens"\s*:\s*\[/.test(sketch.text) ? 0.7 : 0;
  },
  items,
});
