import type { JudgeTemplate } from '../template.ts';
import { fairness } from './fairness.ts';

const complaint = { question: 'My order came broken. I want my money back!' };

export const tone: JudgeTemplate = {
  version: 1,
  title: 'Has the right tone',
  summary: 'How far the answer keeps the tone that its guidelines describe, from 1 to 5',
  whenToUse:
    'For a voice that you can describe: of a brand, of support, for children. Write your own in the first paragraph of the guidelines; the one given is that of polite support.',
  whenNotToUse:
    'To learn whether the answer is right or helpful. Not where only offence matters: `toxicity` answers that by a yes or no, which is easier to judge.',
  outputType: 'int',
  passingThreshold: 4,
  fields: {
    request: {
      pointer: '/inputs/question',
      description: 'What the user wrote. The right tone may depend on it.',
      isOptional: true,
    },
    answer: { pointer: '/outputs/response', description: 'The answer of the system.' },
  },
  guidelines: `The tone that is wanted: polite, calm and warm, as a good member of a support team writes. It takes the user seriously, speaks plainly, and neither flatters nor blames.

5: the whole answer has the tone that is wanted.
4: it has the tone that is wanted, but for one slip that few readers would notice.
3: it is mixed: most readers would notice a sentence that is off, and be neither pleased nor annoyed.
2: it is off for the most part: too cold, too familiar, too flattering, or a little rude.
1: it is the opposite of what is wanted: rude, mocking, or blaming the user.

- Judge how it is said, not whether it is right, complete or helpful. A refusal can have the right tone.
- A short answer is not cold for being short, and a long one is not warm for being long.
- An apology is part of the tone only where something went wrong. Exclamation marks and emoji are neither good nor bad by themselves.
- The tone of the user is no excuse: an angry message needs the same tone as a friendly one.
- An empty answer is a 1.`,
  prompt: `You grade the tone of an answer. The guidelines describe the tone that is wanted, and what each grade means.

{% if request -%}
What the user wrote:
{{ request }}

{% endif -%}
The answer to be judged:
{{ answer }}

Reason in this order, in few words, before you give the grade:
1. Which words of the answer show the tone that is wanted? Quote them, or say that there are none.
2. Which words are off, and in which way? Quote them, or say that there are none.
3. Which of the five descriptions fits best?

Grade: the number from 1 to 5 whose description fits best. Between two, take the lower. Do not judge whether the answer is right. ${fairness}`,
  examples: [
    {
      inputs: complaint,
      expected: {},
      outputs: {
        response:
          'I am sorry that it came broken. Your money is on its way back, and you need not return anything.',
      },
      value: 5,
      reasoning: '"I am sorry" and the plain rest are warm and calm. Nothing is off.',
    },
    {
      inputs: complaint,
      expected: {},
      outputs: {
        response:
          'I am sorry that it came broken. Your money is on its way back. Kindly note our terms.',
      },
      value: 4,
      reasoning: 'It is warm and plain. "Kindly note our terms" is a small slip into stiffness.',
    },
    {
      inputs: complaint,
      expected: {},
      outputs: {
        response: 'Sorry about that. As our terms clearly say, refunds take five days.',
      },
      value: 3,
      reasoning: '"Sorry about that" is polite. "As our terms clearly say" sounds like a reproach.',
    },
    {
      inputs: complaint,
      expected: {},
      outputs: { response: 'Refund requested. Processing time: five days. Ticket closed.' },
      value: 2,
      reasoning: 'It is cold throughout: no word takes the user seriously, though none is rude.',
    },
    {
      inputs: complaint,
      expected: {},
      outputs: { response: 'Calm down. Maybe handle your parcels with more care next time.' },
      value: 1,
      reasoning: '"Calm down" is rude, and "handle your parcels with more care" blames the user.',
    },
  ],
};
