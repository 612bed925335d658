import type { List, Operation, Service } from '@assay/contracts/define';
import { exampleIds, exampleInstant, exampleUserCode } from '@assay/contracts/examples';
import { isPayload } from '@assay/contracts/payload';
import { z } from 'zod';

/** Examples of one body, by the name of its shape or by what it shows. */
type NamedExamples = Record<string, { summary: string; value: unknown }>;

/** An example of everything that an operation takes and gives. */
export interface Examples {
  body(definition: Operation): unknown;
  /** One, or one of each shape, or some that show more. */
  bodies(definition: Operation): { example: unknown } | { examples: NamedExamples };
  /** Of a parameter of the path, or of the query where the contract gives one. */
  parameter(definition: Operation | List, name: string): string | undefined;
  reply(definition: Operation | List): unknown;
  /** By content type: text, or the array that it is. */
  streamedBody(definition: Operation): (type: string) => unknown;
  streamedReply(definition: Operation): (type: string) => unknown;
}

/**
 * Takes examples from the contracts: an operation's own, else its schema's, else another
 * operation's of the same schema, else made from the schema.
 */
export function createExamples(contracts: readonly Service[]): Examples {
  const given = new Map<z.ZodType, unknown>();
  for (const { operations } of contracts)
    for (const { reply, example } of Object.values(operations))
      if (reply && example?.reply !== undefined) given.set(reply, example.reply);
  const make = (schema: z.ZodType) => exampleOf(schema, given);
  const firstBody = ({ body, example }: Operation) => example?.body ?? make(body!);

  return {
    body: firstBody,
    bodies: (definition) => {
      const { body, example } = definition;
      const shapes = shapesOf(body!);
      if (shapes.length > 1)
        return { examples: named(shapes.map((shape) => [shape.meta()!.id!, make(shape)])) };
      const first = firstBody(definition);
      if (!example?.otherBodies) return { example: first };
      return { examples: named([['The usual', first], ...Object.entries(example.otherBodies)]) };
    },
    parameter: ({ example }, name) => example?.query?.[name] ?? exampleParameters[name],
    reply: ({ reply, example }) => example?.reply ?? make(reply!),
    streamedBody:
      ({ example }) =>
      (type) =>
        asStream(type, example?.body),
    streamedReply:
      ({ example, path }) =>
      (type) =>
        asStream(type, example?.reply ?? replyLines(path)),
  };
}

const exampleParameters: Record<string, string> = {
  ...Object.fromEntries(
    Object.entries(exampleIds).map(([resource, value]) => [`${resource}Id`, value]),
  ),
  metricConfigId: exampleIds.metricVersion,
  assigneeUserId: exampleIds.user,
  sessionId: 'session-1',
  field: 'outputs',
  text: 'regression',
  userCode: exampleUserCode,
};

/** The shapes of a body that has one of several, else the body. */
const shapesOf = (schema: z.ZodType): z.ZodType[] =>
  schema instanceof z.ZodUnion && schema.options.every((option) => isShape(option as z.ZodType))
    ? schema.options.flatMap((option) => shapesOf(option as z.ZodType))
    : [schema];

const isShape = (schema: z.ZodType): boolean =>
  schema instanceof z.ZodUnion || schema.meta()?.id !== undefined;

/** Keys of the document are words without spaces; the words for people are the summaries. */
const named = (values: [name: string, value: unknown][]): NamedExamples =>
  Object.fromEntries(
    values.map(([name, value]) => [
      name.replaceAll(/[^A-Za-z0-9]+/g, '-'),
      { summary: name, value },
    ]),
  );

/**
 * The content of a streamed reply: one answer line per entry for an import, the items themselves
 * for an export.
 */
const replyLines = (path: string): unknown =>
  path.endsWith('/testcases/export')
    ? { question: 'Where is my parcel?' }
    : path.endsWith('/export')
      ? { id: exampleIds.testcase }
      : { index: 0, status: 201, id: exampleIds.testcase };

const exampleEvent =
  'event: progress\nid: 7\ndata: {"expected":200,"scored":120,"failed":1,"pending":79,"status":"running_scoring","numRecords":200,"numExpectedRecords":200,"costUsd":0.12,"cachedAnswers":0}\n\n';

function asStream(type: string, value: unknown): unknown {
  if (type === '*' || type === 'application/octet-stream')
    return typeof value === 'string' ? value : 'bytes';
  if (value === undefined) return 'bytes';
  if (type === 'text/event-stream') return exampleEvent;
  if (type === 'text/csv') return csvOf(value as Record<string, unknown>);
  return type === 'application/json' ? [value] : `${JSON.stringify(value)}\n`;
}

/** A column for each field of the data; that of the key has a name that no field has. */
function csvOf({ jsonData, key, ...rest }: Record<string, unknown>): string {
  const row = { ...(jsonData as object), ...rest, ...(key === undefined ? {} : { _key: key }) };
  return `${Object.keys(row).join(',')}\n${Object.values(row).join(',')}\n`;
}

function exampleOf(schema: z.ZodType, given: ReadonlyMap<z.ZodType, unknown>): unknown {
  const known = given.get(schema) ?? schema.meta()?.examples;
  if (known !== undefined) return Array.isArray(known) ? known[0] : known;
  const inner = (of: unknown) => exampleOf(of as z.ZodType, given);
  if (isPayload(schema)) return { question: 'Where is my parcel?' };
  if (schema instanceof z.ZodRecord) return recordOf(schema.keyType, () => inner(schema.valueType));
  const { override } = schema.meta() ?? {};
  if (override && typeof override === 'object') {
    if ('enum' in override) return (override.enum as unknown[])[0];
    if ('type' in override && override.type === 'object') return {};
  }
  if (schema instanceof z.ZodObject)
    return Object.fromEntries(
      Object.entries(schema.shape)
        .map(([key, member]) => [key, inner(member)] as const)
        .filter(isPresent),
    );
  if (schema instanceof z.ZodArray)
    return [inner(schema.element)].filter((element) => element !== undefined);
  if (schema instanceof z.ZodOptional) return undefined;
  if (schema instanceof z.ZodNullable) return null;
  if (schema instanceof z.ZodDefault) return schema.def.defaultValue;
  if (schema instanceof z.ZodUnion) return inner(schema.options[0]);
  if (schema instanceof z.ZodLiteral) return schema.value;
  if (schema instanceof z.ZodEnum) return schema.options[0];
  if (schema instanceof z.ZodBoolean) return false;
  if (schema instanceof z.ZodNumber) return 1;
  return exampleText(schema);
}

const recordOf = (keyType: unknown, value: () => unknown): Record<string, unknown> =>
  keyType instanceof z.ZodEnum
    ? Object.fromEntries(keyType.options.map((key) => [key, value()]))
    : {};

const isPresent = ([, value]: readonly [string, unknown]): boolean => value !== undefined;

function exampleText(schema: z.ZodType): string {
  if (schema instanceof z.ZodUUID) return exampleIds.project;
  if (schema instanceof z.ZodISODateTime) return exampleInstant;
  if (schema instanceof z.ZodEmail) return 'ada@example.com';
  return 'text';
}
