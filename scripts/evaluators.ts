import { describeEvaluators, type EvaluatorDescription } from '@assay/evaluators/describe';

const introduction = `# Built-in evaluators

A heuristic metric with \`builtin: { name, options }\` is scored by one of these, without a model and without code of your own. This page is made by
\`npm run generate\` from \`engines/evaluators/catalogue.ts\`; \`GET /v2/evaluators\` says the same to programs, with the JSON Schema of the options.

An evaluator that says yes or no is for boolean metrics, and gives 1 or 0 in float ones. One that gives a share from 0 to 1 is for float metrics, and for
boolean ones with a \`threshold\`. No evaluator scores int metrics.
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
