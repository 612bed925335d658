import type { JudgeTemplate } from '../template.ts';
import { fairness } from './fairness.ts';

const order = { item: 'desk lamp', quantity: 2, delivery: '2026-03-04', giftWrap: null };

export const jsonAgreement: JudgeTemplate = {
  version: 1,
  title: 'The text says what the JSON says',
  summary: 'A free text states every value of a JSON object and contradicts none',
  whenToUse:
    'For texts that are written from data, such as confirmations and reports: `expected` has the data. Also for data that is read from a text: let `text` be the input and `json` the output.',
  whenNotToUse:
    'Where both sides are JSON: `json_equal` compares them without an error. Where the JSON has hundreds of values: a judge overlooks some.',
  outputType: 'boolean',
  fields: {
    text: { pointer: '/outputs/response', description: 'The free text.' },
    json: {
      pointer: '/expected',
      description: 'The values that the text has to state: an object, a list or a single value.',
    },
  },
  guidelines: `A text agrees with a JSON value if a reader of the text alone would fill in the same values.

true: the text states every value of the JSON, and contradicts none.
false: at least one value is missing in the text, or differs from it.

- Names of members are not in the text. Take their meaning from the name, and look for the value.
- Other words and forms of the same value are the same: "the 4th of March 2026" is "2026-03-04", "two" is 2, "half a kilo" is { "amount": 500, "unit": "g" }.
- A number that is rounded or called approximate in the text is not the same as an exact one.
- null, an empty text and an empty list say that there is nothing: the text must be silent about it, or say that there is none. false says no: the text says so, or is silent.
- Each member of a list must be stated. Their order counts only where the text makes a point of it.
- What the text says beyond the JSON does no harm, unless it contradicts a value.
- If the record has no JSON, the verdict is false, and the reason says that it is missing.`,
  prompt: `You check whether a text states the values of a JSON value.

The JSON:
{% if json %}{{ json | tojson }}{% else %}(The record has no JSON.){% endif %}

The text:
{{ text }}

Reason in this order, in few words, before you give the verdict:
1. Go through the values of the JSON one by one. For each: which words of the text state it? Quote them, or say that there are none, or that they state another value.
2. Does anything else in the text contradict a value?

Verdict: true if the text states every value and contradicts none, false otherwise. ${fairness}`,
  examples: [
    {
      inputs: {},
      expected: order,
      outputs: {
        response: 'We will bring your two desk lamps on 4 March 2026. Thank you for your order!',
      },
      value: true,
      reasoning:
        '"two desk lamps" states item and quantity, "4 March 2026" the delivery. Of gift wrap nothing is said, as null wants.',
    },
    {
      inputs: {},
      expected: order,
      outputs: { response: 'Your desk lamps will arrive on 4 March 2026.' },
      value: false,
      reasoning: 'Item and delivery are stated. "Desk lamps" does not say how many.',
    },
  ],
};
