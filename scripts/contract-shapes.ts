import {
  bodyBytesDefault,
  type List,
  type Operation,
  queryOf,
  type Service,
} from '@assay/contracts/define';
import { z } from 'zod';

/** A value's form: the types of each place in it, `a.b[].c`, with `?` where it may be missing. */
export type Shape = Record<string, string>;

export interface OperationShape {
  method: string;
  path: string;
  access: string;
  statuses: number[];
  bodyBytesMax?: number;
  streams?: readonly string[];
  replyStreams?: readonly string[];
  query?: Shape;
  body?: Shape;
  reply?: Shape;
}

export interface ServiceShape {
  operations: Record<string, OperationShape>;
  questions: Record<string, { payload: Shape; reply: Shape }>;
  events: Record<string, { payload: Shape }>;
  jobs: Record<string, { payload: Shape }>;
}

export type ContractShapes = Record<string, ServiceShape>;

/**
 * Returns the parts of the contracts that others may rely on: sent and returned values, place by
 * place, without words and bounds.
 */
export const shapesOf = (contracts: readonly Service[]): ContractShapes =>
  Object.fromEntries(
    contracts.map(({ name, operations, questions, events, jobs }) => [
      name,
      {
        operations: mapValues(operations, operationShape),
        questions: mapValues(questions, ({ payload, reply }) => ({
          payload: sent(payload),
          reply: answered(reply),
        })),
        events: mapValues(events, ({ payload }) => ({ payload: sent(payload) })),
        jobs: mapValues(jobs, ({ payload }) => ({ payload: sent(payload) })),
      },
    ]),
  );

function operationShape(definition: Operation | List): OperationShape {
  const {
    method,
    path,
    access = 'member',
    status,
    statusWhenThere,
    body,
    streams,
    replyStreams,
    reply,
  } = definition;
  const query = queryOf(definition);
  const bodyBytesMax = definition.bodyBytesMax ?? (body ? bodyBytesDefault : undefined);
  return {
    method,
    path: path.replaceAll(/:\w+/g, ':'),
    access,
    statuses: [status, ...(statusWhenThere ? [statusWhenThere] : [])],
    ...(bodyBytesMax ? { bodyBytesMax } : {}),
    ...(streams ? { streams } : {}),
    ...(replyStreams ? { replyStreams } : {}),
    ...(query ? { query: sent(query) } : {}),
    ...(body ? { body: sent(body) } : {}),
    ...(reply ? { reply: answered(reply) } : {}),
  };
}

const sent = (schema: z.ZodType): Shape => shapeOf(schema, 'input');
const answered = (schema: z.ZodType): Shape => shapeOf(schema, 'output');

interface Node {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  anyOf?: Node[];
  oneOf?: Node[];
  allOf?: Node[];
  items?: Node;
  properties?: Record<string, Node>;
  required?: string[];
  additionalProperties?: boolean | Node;
}

function shapeOf(schema: z.ZodType, io: 'input' | 'output'): Shape {
  const root = z.toJSONSchema(schema, { io, unrepresentable: 'any' }) as Node & {
    $defs?: Record<string, Node>;
  };
  const types = new Map<string, Set<string>>();

  function note(place: string, type: string): void {
    types.set(place, (types.get(place) ?? new Set()).add(type));
  }

  function resolved(node: Node): Node {
    if (!node.$ref) return node;
    return node.$ref === '#' ? root : root.$defs![node.$ref.replace('#/$defs/', '')]!;
  }

  function walk(node: Node, place: string, within: readonly Node[]): void {
    const target = resolved(node);
    if (within.includes(target)) {
      note(place, 'recursive');
      return;
    }
    const inside = [...within, target];
    const parts = [...(target.anyOf ?? []), ...(target.oneOf ?? [])].map(resolved);
    for (const [index, part] of parts.entries())
      walk(part, `${place}${variantOf(part, index, parts)}`, inside);
    for (const part of target.allOf ?? []) walk(part, place, inside);
    const { type, properties, required = [], items, additionalProperties } = target;
    if (target.const !== undefined) note(place, JSON.stringify(target.const));
    else if (target.enum) for (const value of target.enum) note(place, JSON.stringify(value));
    else if (type) for (const each of [type].flat()) note(place, each);
    else if (parts.length === 0 && !target.allOf) note(place, 'any');
    for (const [name, property] of Object.entries(properties ?? {}))
      walk(property, `${place}.${name}${required.includes(name) ? '' : '?'}`, inside);
    if (items) walk(items, `${place}[]`, inside);
    if (typeof additionalProperties === 'object') walk(additionalProperties, `${place}{}`, inside);
  }

  walk(root, '', []);
  return Object.fromEntries(
    [...types].map(([place, found]) => [place, [...found].sort().join('|')]),
  );
}

/**
 * Of several objects each has places of its own, named after the constants that tell them apart.
 */
function variantOf({ properties = {} }: Node, index: number, parts: Node[]): string {
  if (parts.filter((part) => part.properties).length < 2) return '';
  const constants = Object.entries(properties).flatMap(([name, { const: value }]) =>
    value === undefined ? [] : `${name}=${value}`,
  );
  return `<${constants.join(',') || index}>`;
}

const mapValues = <Value, Result>(
  values: Record<string, Value>,
  map: (value: Value) => Result,
): Record<string, Result> =>
  Object.fromEntries(Object.entries(values).map(([name, value]) => [name, map(value)]));
