import type { JudgeTemplate } from '../template.ts';
import { fairness } from './fairness.ts';

export const faithfulness: JudgeTemplate = {
  version: 1,
  title: 'Faithful to the context',
  summary: 'Every claim of the answer is supported by the context that the system was given',
  whenToUse:
    'For answers from documents: retrieval, summaries, support from a knowledge base. It finds what the system made up.',
  whenNotToUse:
    'Where the answer may use general knowledge, or where the context itself may be wrong: a faithful answer can be false. Use `correctness` where there is a reference.',
  outputType: 'boolean',
  fields: {
    question: {
      pointer: '/inputs/question',
      description: 'The question of the user. It helps to understand the answer.',
      isOptional: true,
    },
    context: {
      pointer: '/inputs/context',
      description: 'The passages that the system was given: a text, or a list of them.',
    },
    answer: { pointer: '/outputs/response', description: 'The answer of the system.' },
  },
  guidelines: `An answer is faithful if everything that it claims is said in the context, or follows from it directly.

true: every claim is supported by the context. An answer that claims nothing, such as "The documents do not say", is faithful.
false: at least one claim is contradicted by the context or is not found in it, be it a detail: a name, a number, a date, a cause.

- Paraphrases, summaries, simple arithmetic, and conclusions that every reader of the context would draw are supported.
- A claim that is true in the world but not in the context is not supported.
- A claim that is more certain or more general than the context is not supported: "may" is not "will", and "some" is not "all".
- The question is no evidence. The answer may repeat it as something that the user said.
- Greetings, offers of help and remarks about the answer itself claim nothing.
- Without a context, only an answer that claims nothing is faithful.
- Whether the answer is useful, complete or well written does not count here.`,
  prompt: `You check whether an answer is faithful to its context.

{% if question -%}
The question, to understand the answer by:
{{ question }}

{% endif -%}
The context, which is the only evidence:
{% if context %}{{ context }}{% else %}(The record has no context.){% endif %}

The answer to be judged:
{{ answer }}

Reason in this order, in few words, before you give the verdict:
1. Which claims does the answer make?
2. For each claim: which words of the context support it? Quote them, or say that there are none, or that they say otherwise.
3. Is any claim left without support?

Verdict: true if every claim is supported, false if one or more are not. Do not fill gaps of the context from your own knowledge. ${fairness}`,
  examples: [
    {
      inputs: {
        question: 'When does the library open on Saturday?',
        context: 'Opening hours: Monday to Friday 9 to 18, Saturday 10 to 14. Closed on Sunday.',
      },
      expected: {},
      outputs: { response: 'On Saturdays it is open for four hours, from 10 to 14.' },
      value: true,
      reasoning: '"Saturday 10 to 14" supports the hours, and four hours follow from it.',
    },
    {
      inputs: {
        question: 'When does the library open on Saturday?',
        context: 'Opening hours: Monday to Friday 9 to 18, Saturday 10 to 14. Closed on Sunday.',
      },
      expected: {},
      outputs: { response: 'On Saturdays it opens at 10, and the café at 9.' },
      value: false,
      reasoning: '"Saturday 10 to 14" supports the first claim. Nothing is said of a café.',
    },
  ],
};
