import { describe, expect, test } from 'vitest';
import { adoptTemplate } from '../adopt.ts';

/** Where a judge of a template reads, in a project with these fields. */
function movedIn(
  template: string,
  { inputs = [], expected = [] }: { inputs?: string[]; expected?: string[] },
  fields = {},
) {
  const adopted = adoptTemplate({ template, fields, projectFields: { inputs, expected } });
  if (!adopted.ok) throw new Error(JSON.stringify(adopted.issues));
  for (const { to } of adopted.moved)
    expect(adopted.metric.promptTemplate).toContain(to.slice(1).replace('/', '.'));
  return Object.fromEntries(adopted.moved.map(({ field, to }) => [field, to]));
}

describe("a judge reads the project's own fields", () => {
  test('of the same name but for its spelling, and the only one that is left', () => {
    expect(movedIn('correctness', { inputs: ['Question'], expected: ['ideal_answer'] })).toEqual({
      question: '/inputs/Question',
      reference: '/expected/ideal_answer',
    });
    expect(movedIn('answer_relevance', { inputs: ['prompt'] })).toEqual({
      question: '/inputs/prompt',
    });
    expect(movedIn('correctness', { inputs: ['question'], expected: ['answer'] })).toEqual({
      reference: '/expected/answer',
    });
    expect(movedIn('faithfulness', { inputs: ['question', 'passages'] })).toEqual({
      context: '/inputs/passages',
    });
  });

  test('and none where several could be meant, or the prompt does without', () => {
    expect(movedIn('answer_relevance', { inputs: ['prompt', 'lang'] })).toEqual({});
    expect(movedIn('faithfulness', { inputs: ['prompt'] })).toEqual({});
    expect(movedIn('refusal', { inputs: ['question'], expected: ['answer'] })).toEqual({});
    expect(movedIn('correctness', {})).toEqual({});
  });

  test('but where the adopter names another place, or the template is right', () => {
    const fields = { question: '/inputs/text' };
    expect(movedIn('answer_relevance', { inputs: ['prompt'] }, fields)).toEqual({});
    expect(movedIn('answer_relevance', { inputs: ['question', 'prompt'] })).toEqual({});
  });
});
