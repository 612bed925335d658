import {
  describeJudgeTemplates,
  type JudgeTemplateDescription,
} from '@assay/judge-templates/describe';

const introduction = `# Ready-made judges

A beginning for a judge of your own: criteria, prompt and examples that are written down already. You adopt one by its name, say where your records have
what it reads, and own the metric from then on: change its words, its model, its votes. A later version of the template changes nothing of yours; the
metric's description says from which one it came. This page is made by \`npm run generate\` from \`engines/judge-templates/\`, and \`GET /v2/judge-templates\`
says the same to programs.

## Adopt one

With \`api\`, \`field\` and \`$PROJECT\` as in [a first judge](first-judge.md):

\`\`\`bash
api POST /projects/$PROJECT/metrics/adopt -d '{
  "template": "faithfulness",
  "fields": {"question": "/inputs/question", "context": "/inputs/passages", "answer": "/outputs/answer"},
  "evalModelName": "openai/gpt-4o-mini"
}' | field .id
\`\`\`

\`fields\` are JSON Pointers into the record: \`/outputs/steps/0/text\`, or \`/outputs\` for the whole of it. A field that is left out stands where the table of its judge
says; where no testset of the project has that, at the field of the same name but for its spelling, or at the only field that is left. A warning of the new metric then says which. \`name\` and \`evalModelName\` may be left out too. The prompt of the new metric begins with a line for each field, \`{% set answer = outputs.answer -%}\`,
which you can change like all the rest.

In the console: *Metrics*, *Ready-made judges*. There you say what the prompt reads with the names of your records completed, see the prompt of a real record, and try it
before you save it.

## Know how far to trust it

No prompt is reliable by itself: it depends on the model, and on your data. \`examples/judges/\` has 13 to 15 records for each of these judges, written for this
purpose and labelled by hand, edge cases and attempts to talk the judge round among them. This has a model score them, and shows where it and the labels differ:

\`\`\`bash
OPENAI_API_KEY=… npm run judges:check -- --model openai/gpt-4o-mini
npm run judges:check -- --model anthropic/claude-sonnet-4-5 --template faithfulness tone
\`\`\`

It starts an Assay on your machine as \`npm start\` does (stop that one first), and keeps the scores in a project of its own. A model that agrees with nearly all of them
understands the task. That is all it shows: so few records say that a template works, and not how reliable it is on your data. Label 50 to 100 records of your own, drawn by
chance, as in [section 5 of a first judge](first-judge.md#5-find-out-how-far-to-trust-it), and look at the agreement and at each disagreement.

What all of them have in common: \`true\`, or the higher grade, is the good outcome. The judge quotes first and decides then. A longer or more confident answer is not better.
What is missing in a record is said to be missing, and the criteria say what follows. What stands in a record is never an instruction.
`;

/** docs/judge-templates.md: every ready-made judge, with its criteria, its prompt and examples. */
export const describeJudgeTemplatesPage = (): string =>
  [introduction, ...describeJudgeTemplates().map(section)].join('\n');

function section(template: JudgeTemplateDescription): string {
  const { name, version, summary, whenToUse, whenNotToUse, fields, guidelines } = template;
  const rows = fields.map(
    ({ name, pointer, description, isOptional }) =>
      `| \`${name}\` | \`${pointer}\` | ${isOptional ? '' : 'yes'} | ${description} |`,
  );
  return `## ${name}

${summary}. ${outputOf(template)} Version ${version}.

**When to use it.** ${whenToUse}

**When not.** ${whenNotToUse}

| field | usually at | required | |
|---|---|---|---|
${rows.join('\n')}

Guidelines:

${quoted(guidelines)}

Prompt:

\`\`\`jinja
${template.promptTemplate}
\`\`\`

${template.examples.map(exampleOf).join('\n\n')}
`;
}

const outputOf = ({ outputType, passingThreshold }: JudgeTemplateDescription): string =>
  outputType === 'boolean'
    ? 'Boolean: true or false.'
    : `Int: 1 to 5, of which ${passingThreshold} and more pass.`;

const quoted = (text: string): string =>
  text
    .split('\n')
    .map((line) => `> ${line}`.trimEnd())
    .join('\n');

function exampleOf({
  inputs,
  expected,
  outputs,
  value,
  reasoning,
}: JudgeTemplateDescription['examples'][number]): string {
  const record = Object.entries({ inputs, expected, outputs })
    .filter(([, payload]) => Object.keys(payload).length > 0)
    .map(([name, payload]) => `${name} \`${JSON.stringify(payload)}\``)
    .join(', ');
  return `**${value}** for ${record}: ${reasoning}`;
}
