import { z } from 'zod';
import { isPayload } from './payload.ts';

/**
 * The values that a schema takes at a place of a body. A large body is read by it: anything that no
 * schema names is checked to be JSON, and never built.
 */
export interface BodyShape {
  /** An object that stays text. */
  payload?: boolean;
  /** Any value, of which the schema says no more. */
  any?: boolean;
  object?: { members: Record<string, BodyShape>; others: 'skipped' | 'refused' | 'kept' };
  array?: { elements: BodyShape; itemsMax: number };
}

/** Finds the shape of the bodies of a schema. */
export function bodyShape(schema: z.ZodType): BodyShape {
  if (isPayload(schema)) return { payload: true };
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodNullable ||
    schema instanceof z.ZodDefault
  )
    return bodyShape(schema.unwrap() as z.ZodType);
  if (schema instanceof z.ZodArray)
    return {
      array: { elements: bodyShape(schema.element as z.ZodType), itemsMax: itemsMaxOf(schema) },
    };
  if (schema instanceof z.ZodObject) return objectShape(schema);
  if (schema instanceof z.ZodUnion)
    return schema.options.map((option) => bodyShape(option as z.ZodType)).reduce(joined);
  return isScalar(schema) ? {} : { any: true };
}

const scalars = [z.ZodString, z.ZodStringFormat, z.ZodNumber, z.ZodNumberFormat, z.ZodBoolean];
const isScalar = (schema: z.ZodType): boolean =>
  [...scalars, z.ZodEnum, z.ZodLiteral, z.ZodNull].some((kind) => schema instanceof kind);

function itemsMaxOf({ def: { checks = [] } }: z.ZodArray): number {
  const maxima = checks
    .map((each) => each._zod.def as { check: string; maximum?: number })
    .flatMap(({ check, maximum }) => (check === 'max_length' ? [maximum!] : []));
  return Math.min(Number.POSITIVE_INFINITY, ...maxima);
}

function objectShape({ def: { catchall }, shape }: z.ZodObject): BodyShape {
  const isStrict = catchall instanceof z.ZodNever;
  const members = Object.entries(shape).map(([key, member]) => [
    key,
    bodyShape(member as z.ZodType),
  ]);
  return {
    object: {
      members: Object.fromEntries(members),
      others: isStrict ? 'refused' : catchall ? 'kept' : 'skipped',
    },
  };
}

/** A value is of one of a union's shapes. */
function joined(one: BodyShape, other: BodyShape): BodyShape {
  const payload = one.payload || other.payload;
  const any = one.any || other.any;
  const object =
    one.object && other.object
      ? joinedObjects(one.object, other.object)
      : (one.object ?? other.object);
  const array =
    one.array && other.array ? joinedArrays(one.array, other.array) : (one.array ?? other.array);
  const shape: BodyShape = {
    ...(payload && { payload }),
    ...(object && { object }),
    ...(array && { array }),
  };
  return any ? loosened(shape) : shape;
}

/** The shape where any other value is taken as well. */
const loosened = ({ payload, object, array }: BodyShape): BodyShape => ({
  any: true,
  ...(payload && { payload }),
  ...(object && {
    object: {
      members: Object.fromEntries(
        Object.entries(object.members).map(([key, member]) => [key, loosened(member)]),
      ),
      others: 'kept',
    },
  }),
  ...(array && {
    array: { elements: loosened(array.elements), itemsMax: Number.POSITIVE_INFINITY },
  }),
});

type ObjectShape = NonNullable<BodyShape['object']>;
type ArrayShape = NonNullable<BodyShape['array']>;

function joinedObjects(one: ObjectShape, other: ObjectShape): ObjectShape {
  const members = { ...one.members };
  for (const [key, shape] of Object.entries(other.members))
    members[key] = Object.hasOwn(members, key) ? joined(members[key]!, shape) : shape;
  const others = (['kept', 'refused'] as const).find((each) =>
    [one.others, other.others].includes(each),
  );
  return { members, others: others ?? 'skipped' };
}

const joinedArrays = (one: ArrayShape, other: ArrayShape): ArrayShape => ({
  elements: joined(one.elements, other.elements),
  itemsMax: Math.max(one.itemsMax, other.itemsMax),
});

/** Where the payloads of a body stand: the part of its shape that leads to them. */
export type PayloadPlan =
  | 'payload'
  | { members: Record<string, PayloadPlan> }
  | { elements: PayloadPlan };

/** Finds the payload fields in a schema; undefined when it has none. */
export const payloadPlan = (schema: z.ZodType | undefined): PayloadPlan | undefined =>
  schema && planOf(bodyShape(schema));

function planOf({ payload, object, array }: BodyShape): PayloadPlan | undefined {
  if (payload) return 'payload';
  const elements = array && planOf(array.elements);
  if (elements) return { elements };
  const members = Object.entries(object?.members ?? {}).flatMap(([key, member]) => {
    const plan = planOf(member);
    return plan ? [[key, plan] as const] : [];
  });
  return members.length > 0 ? { members: Object.fromEntries(members) } : undefined;
}
