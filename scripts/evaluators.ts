import { describeEvaluators, type EvaluatorDescription } from '@assay/evaluators/describe';

const introduction = `# Built-in evaluators

A heuristic metric with \`builtin: { name, options }\` is scored by one of these, without a model and without code of your own. This page is made by
\`npm run generate\` from \`engines/evaluators/catalogue.ts\`; \`GET /v2/evaluators\` says the same to programs, with the JSON Schema of the options.

An evaluator that says yes or no is for boolean metrics, and gives 1 or 0 in float ones. One that gives a share from 0 to 1 is for float metrics, and for
boolean ones with a \`threshold\`. No evaluator scores int metrics.

**Numbers** are compared by their value, to the last digit, however long they are: \`1.0\` is \`1\`, \`-0\` is \`0\`, \`1e400\` is a number like any other, and two
numbers of nineteen digits that differ in the last one are different. That holds for \`exact_match\`, \`json_equal\`, \`number_close\`, \`set_f1\`, and in a JSON
Schema for \`const\`, \`enum\`, the bounds, \`multipleOf\` and \`uniqueItems\`. \`exact_match\` takes a number and a text for equal where the text is the number as
it was sent or in its shortest form: \`1.50\` equals the texts \`1.50\` and \`1.5\`. The same holds for the
numbers in a metric's own options, those of its schema among them.

**A text under \`json_schema\`** is the JSON that the whole of it is. The text itself counts only where the schema asks for a text (by \`type\`, \`minLength\`,
\`maxLength\`, \`pattern\`, \`format\`, a \`content…\` keyword, or a text in \`const\` or \`enum\`; at its top or where \`$ref\`, \`anyOf\`, \`oneOf\` and \`allOf\` lead), or
where it does not say what the value is at all. So prose fits \`{ "maxLength": 280 }\` and does not fit \`{ "required": ["city"] }\`. Text around the JSON does
not fit either; \`fenced\` takes JSON out of a code fence.
`;

/** docs/evaluators.md: every built-in evaluator, with its options and an example. */
export const describeEvaluatorsPage = (): string =>
  [introduction, ...describeEvaluators().map(section)].join('\n');

function section({ name, summary, outputTypes, options, example }: EvaluatorDescription): string {
  const { properties, required = [] } = options as {
    properties: Record<string, { description: string }>;
    required?: string[];
  };
  const rows = Object.entries(properties).map(
    ([option, { description }]) =>
      `| \`${option}\` | ${required.includes(option) ? 'yes' : ''} | ${description} |`,
  );
  return `## ${name}

${summary}. For ${outputTypes.join(' and ')} metrics.

| option | required | |
|---|---|---|
${rows.join('\n')}

With \`options\` \`${JSON.stringify(example.options)}\`, \`expected\` \`${JSON.stringify(example.expected)}\` and \`outputs\` \`${JSON.stringify(example.outputs)}\`
the value is ${example.value}.
`;
}
