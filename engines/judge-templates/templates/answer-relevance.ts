import type { JudgeTemplate } from '../template.ts';
import { fairness } from './fairness.ts';

export const answerRelevance: JudgeTemplate = {
  version: 1,
  title: 'Answers the question',
  summary: 'The answer responds to what was asked, all of it',
  whenToUse:
    'For questions and requests of all kinds, also without a reference. It finds answers that evade, miss the point or leave a part out.',
  whenNotToUse:
    'To learn whether the answer is right: a relevant answer can be false. Not where the system ought to refuse: use `refusal` there.',
  outputType: 'boolean',
  fields: {
    question: { pointer: '/inputs/question', description: 'The question of the user.' },
    answer: { pointer: '/outputs/response', description: 'The answer of the system.' },
  },
  guidelines: `An answer is relevant if the person who asked gets a response to what was asked.

true: every part of the question gets a response that addresses it.
false: a part of the question gets no response, or the answer is about something else.

- Whether the response is right does not count here. A wrong date is a response to "when".
- "I do not know", a refusal, or a mere promise to help is no response.
- A question back is a response only if the question cannot be answered without what it asks for.
- Background and extra material do no harm, as long as the response can be found without a search.
- Read the question as a sensible person would: a wrong word or a typing error does not change what is wanted.
- If the record has no question, the verdict is false, and the reason says that the question is missing.`,
  prompt: `You check whether an answer responds to the question.

The question:
{% if question %}{{ question }}{% else %}(The record has no question.){% endif %}

The answer to be judged:
{{ answer }}

Reason in this order, in few words, before you give the verdict:
1. What does the question ask for? Name its parts.
2. For each part: which words of the answer respond to it? Quote them, or say that there are none.
3. Is any part left without a response?

Verdict: true if every part of the question gets a response, false if one or more do not. Do not judge whether the response is right. ${fairness}`,
  examples: [
    {
      inputs: { question: 'How long do I boil an egg, and do I need to pierce it?' },
      expected: {},
      outputs: { response: 'Seven minutes for a soft yolk. Piercing is not needed.' },
      value: true,
      reasoning: '"Seven minutes" responds to the time, "not needed" to the piercing.',
    },
    {
      inputs: { question: 'How long do I boil an egg, and do I need to pierce it?' },
      expected: {},
      outputs: { response: 'Seven minutes. Fresh eggs are harder to peel than older ones.' },
      value: false,
      reasoning: '"Seven minutes" responds to the time. Nothing responds to the piercing.',
    },
  ],
};
