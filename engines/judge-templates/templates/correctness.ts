import type { JudgeTemplate } from '../template.ts';
import { fairness } from './fairness.ts';

export const correctness: JudgeTemplate = {
  version: 1,
  title: 'Agrees with the reference',
  summary: 'The answer says what the reference says, in whatever words',
  whenToUse:
    'For testcases with a reference answer, where wording may differ. It finds wrong and missing facts.',
  whenNotToUse:
    'Where a rule can compare: a single number, word or JSON value. `exact_match`, `number_close` and `json_equal` cost nothing and never err. Not where many different answers are right.',
  outputType: 'boolean',
  fields: {
    question: {
      pointer: '/inputs/question',
      description: 'The question of the user. It says which parts of the reference matter.',
      isOptional: true,
    },
    reference: {
      pointer: '/expected/idealAnswer',
      description: 'The reference: an answer that is right.',
    },
    answer: { pointer: '/outputs/response', description: 'The answer of the system.' },
  },
  guidelines: `An answer is correct if it says the essential of the reference and contradicts none of it.

true: all that the reference says in response to the question is in the answer, and nothing in the answer contradicts the reference.
false: something essential is missing, different or contradicted.

- The reference is right, even where you believe otherwise.
- Other words, another order, another language and another form of the same value are the same: "half past two" is "14:30".
- A rounded number is the same only if the question does not ask for more precision than it has.
- What the answer says beyond the reference does no harm, unless it contradicts the reference.
- An answer that names several possibilities, of which one is right, without deciding for it, is false.
- Where the reference names alternatives ("either … or …"), one of them is enough.
- "I do not know" is false, unless the reference says so too.
- If the record has no reference, the verdict is false, and the reason says that the reference is missing.`,
  prompt: `You check whether an answer agrees with a reference, which is right.

{% if question -%}
The question:
{{ question }}

{% endif -%}
The reference:
{% if reference %}{{ reference }}{% else %}(The record has no reference.){% endif %}

The answer to be judged:
{{ answer }}

Reason in this order, in few words, before you give the verdict:
1. What does the reference say that the question asks for?
2. For each of these facts: which words of the answer say the same? Quote them, or say that there are none, or that they say otherwise.
3. Does anything else in the answer contradict the reference?

Verdict: true if every essential fact is there and nothing contradicts the reference, false otherwise. Compare with the reference, not with your own knowledge. ${fairness}`,
  examples: [
    {
      inputs: { question: 'When was the bridge opened, and by whom?' },
      expected: { idealAnswer: 'The mayor, Ada Lind, opened it on 3 May 1962.' },
      outputs: { response: 'Mayor Lind did so in May 1962, on the 3rd.' },
      value: true,
      reasoning: '"Mayor Lind" and "May 1962, on the 3rd" say the same as the reference.',
    },
    {
      inputs: { question: 'When was the bridge opened, and by whom?' },
      expected: { idealAnswer: 'The mayor, Ada Lind, opened it on 3 May 1962.' },
      outputs: { response: 'It was opened on 3 May 1962 by the king.' },
      value: false,
      reasoning: 'The date is the same. "By the king" contradicts "the mayor, Ada Lind".',
    },
  ],
};
