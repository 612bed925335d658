import { ownFields } from '@assay/judge-templates/own-fields';
import { type Draft, draftFrom } from './draft.ts';
import type { JudgeTemplate } from './judge-library.tsx';
import type { RecordValues, Testset } from './names.ts';
import { expressionOf, withField } from './template-fields.ts';

/**
 * The beginning of a metric that is made from a ready-made judge, which reads the project's own
 * fields where they can be told: those of its testsets, and those that a record of it has.
 */
export function adoptedDraft(
  template: JudgeTemplate,
  { testsets, values }: { testsets: Testset[]; values: RecordValues },
): Draft {
  const namesOf = (part: 'inputs' | 'expected') =>
    testsets.length > 0
      ? [...new Set(testsets.flatMap(({ fieldMapping }) => fieldMapping[part]))]
      : namesIn(values[part]);
  const fields = Object.fromEntries(template.fields.map(({ name, ...place }) => [name, place]));
  const own = ownFields({ fields }, [], {
    inputs: namesOf('inputs'),
    expected: namesOf('expected'),
    outputs: namesIn(values.outputs),
  });
  const draft = draftFrom(template);
  const promptTemplate = Object.entries(own).reduce(
    (text, [name, pointer]) => withField(text, { name, expression: expressionOf(pointer) }),
    draft.promptTemplate,
  );
  return { ...draft, promptTemplate };
}

const namesIn = (value: Record<string, unknown> | undefined): string[] => Object.keys(value ?? {});
