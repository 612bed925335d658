import type { Event, Job, Question, Service } from '@assay/contracts/define';
import { subjectOf } from '@assay/runtime/bus/subjects';
import { z } from 'zod';

/** Asked where the contract says nothing else. */
const questionTimeoutMs = 3000;
const prefix = '<prefix>';

const introduction = `# Questions, events and jobs

What the services say to each other over NATS. This page is made from the contracts by \`npm run generate\`, and a test compares the two:
change \`shared/contracts/\`, not this page.

\`${prefix}\` is \`SUBJECT_PREFIX\`, \`assay\` where nothing else is set. Every message carries the identity of whom it is sent for in the
header \`x-assay-identity\`, signed together with its subject, its payload and, where a stream keeps it, its id. A message without a good
signature is refused, and its payload is checked by the contract.

- A **question** is asked by request and reply, and answered by one process of the service. A failure comes out at the asker as the same
  failure; without an answer in time it is \`SERVICE_UNAVAILABLE\`.
- An **event** is kept by JetStream and delivered to every service that subscribes, at least once. It is written to the outbox in the
  transaction of the change that it tells of. After ten attempts it becomes a dead letter.
- A **job** waits in a work queue of JetStream until one process has finished it. After its last attempt it becomes a dead letter.

Dead letters stand under \`${prefix}.dead.>\`, with the reason.
`;

/** docs/events.md: every message of every contract, with its subject and fields. */
export function describeMessages(contracts: readonly Service[]): string {
  const sections = contracts.filter(({ questions, events, jobs }) =>
    [questions, events, jobs].some((kind) => Object.keys(kind).length > 0),
  );
  return [introduction, ...sections.map(describeService)].join('\n');
}

function describeService({ name: service, summary, questions, events, jobs }: Service): string {
  return [
    `## ${service}\n`,
    `${summary}.\n`,
    ...Object.entries(questions).map(([name, definition]) =>
      describeQuestion(service, name, definition),
    ),
    ...Object.entries(events).map(([name, definition]) => describeEvent(service, name, definition)),
    ...Object.entries(jobs).map(([name, definition]) => describeJob(service, name, definition)),
  ].join('\n');
}

const describeQuestion = (
  service: string,
  name: string,
  { access, summary, payload, reply, timeoutMs = questionTimeoutMs }: Question,
): string =>
  section(`Question \`${name}\``, sentence(summary), [
    ['Subject', code(subjectOf(prefix, 'question', service, name))],
    ...(access === 'operator'
      ? [['Asked by', 'the operator alone, under `ASSAY_OPERATOR_SECRET`'] as [string, string]]
      : []),
    ['Payload', fieldsOf(payload, 'input')],
    ['Reply', fieldsOf(reply, 'output')],
    ['Answered within', `${timeoutMs / 1000} s`],
  ]);

const describeEvent = (service: string, name: string, { summary, payload }: Event): string =>
  section(`Event \`${name}\``, sentence(summary), [
    ['Subject', code(subjectOf(prefix, 'event', service, name))],
    ['Payload', fieldsOf(payload, 'input')],
  ]);

const describeJob = (
  service: string,
  name: string,
  { summary, payload, attempts, finishMs }: Job,
): string =>
  section(`Job \`${name}\``, sentence(summary), [
    ['Subject', code(`${subjectOf(prefix, 'job', service, name)}.<partition>`)],
    ['Payload', fieldsOf(payload, 'input')],
    ['Attempts', String(attempts)],
    ['Time for one', `${finishMs / 1000} s, and longer while it says that it is at work`],
  ]);

const section = (title: string, text: string, facts: [string, string][]): string =>
  [`### ${title}\n`, `${text}\n`, ...facts.map(([name, value]) => `- ${name}: ${value}`), ''].join(
    '\n',
  );

const sentence = (summary: string): string => (/[.?]$/.test(summary) ? summary : `${summary}.`);
const code = (text: string): string => `\`${text}\``;

type JsonSchema = z.core.JSONSchema.BaseSchema;

/** A schema in one line: `{ testsetId: string, knownVersion?: number }`. */
function fieldsOf(schema: z.ZodType, io: 'input' | 'output'): string {
  const whole = z.toJSONSchema(schema, { io, unrepresentable: 'any', reused: 'inline' });
  const text = shapeOf(whole, whole.$defs ?? {});
  return text === '{}' ? 'empty' : code(text);
}

function shapeOf(schema: JsonSchema | boolean, definitions: Record<string, JsonSchema>): string {
  if (typeof schema === 'boolean') return 'any';
  if (schema.$ref) return shapeOf(definitions[schema.$ref.replace('#/$defs/', '')]!, definitions);
  const inside = (other: JsonSchema | boolean) => shapeOf(other, definitions);
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  if (schema.enum) return schema.enum.map((value) => JSON.stringify(value)).join(' | ');
  const choices = schema.oneOf ?? schema.anyOf;
  if (choices) return choices.map((choice) => inside(choice as JsonSchema)).join(' | ');
  if (schema.type === 'array') return `[${inside((schema.items ?? true) as JsonSchema | boolean)}]`;
  if (schema.type === 'object') return objectShape(schema, inside);
  return [schema.type ?? 'any'].flat().join(' | ');
}

function objectShape(
  { properties, required = [], additionalProperties }: JsonSchema,
  inside: (schema: JsonSchema | boolean) => string,
): string {
  const fields = Object.entries(properties ?? {}).map(
    ([name, field]) =>
      `${name}${required.includes(name) ? '' : '?'}: ${inside(field as JsonSchema | boolean)}`,
  );
  if (fields.length > 0) return `{ ${fields.join(', ')} }`;
  return additionalProperties === undefined || additionalProperties === false ? '{}' : 'object';
}
