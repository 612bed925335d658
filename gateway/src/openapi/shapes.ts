import {
  isDocumented,
  type List,
  type Operation,
  type Search,
  type Service,
} from '@assay/contracts/define';
import { z } from 'zod';

/** The bodies and replies of operations, by the names that clients' types get. */
export interface Shapes {
  body(definition: Operation): z.ZodType;
  reply(definition: Operation): z.ZodType;
}

/**
 * Names each body and reply that has no name of its own: a body by its operation (`CreateProject`),
 * a page by what it lists (`ProjectPage`), another reply by its operation (`RetryRunReply`). Equal
 * pages are one.
 */
export function createShapes(contracts: readonly Service[]): Shapes {
  const named = new Map<string, z.ZodType>();
  const bodies = new Map<Operation, z.ZodType>();
  const replies = new Map<Operation, z.ZodType>();
  for (const { operations } of contracts)
    for (const [name, definition] of Object.entries(operations)) {
      if (!isDocumented(definition)) continue;
      const { body, reply } = definition;
      if (body) bodies.set(definition, nameAs(titled(name), body));
      if (reply) replies.set(definition, nameAs(replyName(name, definition), reply));
    }
  return {
    body: (definition) => bodies.get(definition)!,
    reply: (definition) => replies.get(definition)!,
  };

  function nameAs(name: string, schema: z.ZodType): z.ZodType {
    if (idOf(schema)) return schema;
    const given = named.get(name) ?? schema.meta({ ...schema.meta(), id: name });
    named.set(name, given);
    return given;
  }
}

function replyName(name: string, definition: Operation | List | Search): string {
  const item = 'item' in definition ? idOf(definition.item) : undefined;
  return item ? `${item}Page` : `${titled(name)}Reply`;
}

const idOf = (schema: z.ZodType): string | undefined => z.globalRegistry.get(schema)?.id;

const titled = (name: string): string => name[0]!.toUpperCase() + name.slice(1);

type JsonValue = null | boolean | number | string | JsonValue[] | { [key: string]: JsonValue };

/**
 * Makes one union of a union of unions: of nested ones, generators make types without names, or
 * nothing that compiles.
 */
export function flattenUnions<Document>(document: Document): Document {
  visit(document as JsonValue);
  return document;
}

function visit(value: JsonValue): void {
  if (value === null || typeof value !== 'object') return;
  for (const member of Object.values(value)) visit(member);
  if (Array.isArray(value) || !Array.isArray(value.oneOf)) return;
  const isUnion = (one: JsonValue): one is { oneOf: JsonValue[] } =>
    one !== null && typeof one === 'object' && !Array.isArray(one) && Array.isArray(one.oneOf);
  if (!value.oneOf.some(isUnion)) return;
  value.oneOf = value.oneOf.flatMap((one) => (isUnion(one) ? one.oneOf : [one]));
  // It tells apart the unions that are no more.
  delete value.discriminator;
}
