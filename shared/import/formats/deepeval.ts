import { defineFormat } from '../assemble.ts';
import type { Fields } from '../entity.ts';
import type { Item, Reading } from '../item.ts';
import { fieldsOf, only, without } from '../reading/json-values.ts';
import { readObjects } from '../reading/objects.ts';
import { has, sketchOf } from '../reading/sketch.ts';
import { stemOf } from '../source.ts';

const inputs = ['input', 'context', 'scenario', 'turns', 'user_description'];
const expected = ['expected_output', 'expected_tools', 'expected_outcome'];
const outputs = ['actual_output', 'retrieval_context', 'tools_called'];

/** Goldens of deepeval; those that have an actual output are records of one run too. */
async function* items({ source, options, lose }: Reading): AsyncGenerator<Item> {
  for (const file of source.files) {
    const testset = { id: file.name, name: options.name ?? stemOf(file.name) };
    yield { place: { file: file.name }, testset };
    for await (const { value, place, isAround } of readObjects(
      file,
      ['/goldens', '/test_cases'],
      lose,
    )) {
      if (isAround) continue;
      const golden = filled(value);
      const { additional_metadata: extra, ...metadata } = without(
        golden,
        ...inputs,
        ...expected,
        ...outputs,
      );
      yield {
        place,
        testset,
        testcase: {
          inputs: only(golden, ...inputs),
          expected: only(golden, ...expected),
          metadata: { ...metadata, ...fieldsOf(extra, 'additional_metadata') },
        },
        ...(golden.actual_output === undefined
          ? {}
          : {
              run: { id: file.name, name: stemOf(file.name) },
              record: { outputs: only(golden, ...outputs) },
            }),
      };
    }
  }
}

const filled = (row: Fields): Fields =>
  Object.fromEntries(Object.entries(row).filter(([, value]) => value !== null && value !== ''));

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
