import { catalogue } from './catalogue.ts';
import { descriptionOf } from './description.ts';
import { promptTemplateOf } from './prompt.ts';
import type { JudgeTemplate, TemplateExample } from './template.ts';

/** A ready-made judge as clients see it. */
export interface JudgeTemplateDescription
  extends Omit<JudgeTemplate, 'fields' | 'prompt' | 'examples'> {
  name: string;
  /** Of a metric that is made from it. */
  description: string;
  fields: { name: string; pointer: string; description: string; isOptional: boolean }[];
  /** The prompt that reads each field where it usually stands. */
  promptTemplate: string;
  examples: TemplateExample[];
}

/** Describes every ready-made judge, in the order of the catalogue. */
export const describeJudgeTemplates = (): JudgeTemplateDescription[] =>
  [...catalogue].map(([name, template]) => {
    const { fields, prompt: _, ...described } = template;
    const pointers = Object.entries(fields).map(([field, { pointer }]) => [field, pointer]);
    return {
      name,
      ...described,
      description: descriptionOf(name, template),
      fields: Object.entries(fields).map(([field, { pointer, description, isOptional }]) => ({
        name: field,
        pointer,
        description,
        isOptional: isOptional ?? false,
      })),
      promptTemplate: promptTemplateOf(template, Object.fromEntries(pointers)),
    };
  });
