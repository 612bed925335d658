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
  object?: { members: Record<string, BodyShape>; others: 'skipped' | 'refused' };
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

/** Of an object that takes other members, too, nothing is known but that. */
function objectShape({ def: { catchall }, shape }: z.ZodObject): BodyShape {
  if (catchall && !(catchall instanceof z.ZodNever)) return { any: true };
  const members = Object.entries(shape).map(([key, member]) => [
    key,
    bodyShape(member as z.ZodType),
  ]);
  return {
    object: { members: Object.fromEntries(members), others: catchall ? 'refused' : 'skipped' },
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
  return {
    ...(payload && { payload }),
    ...(any && { any }),
    ...(object && { object }),
    ...(array && { array }),
  };
}

type ObjectShape = NonNullable<BodyShape['object']>;
type ArrayShape = NonNullable<BodyShape['array']>;

function joinedObjects(one: ObjectShape, other: ObjectShape): ObjectShape {
  const members = { ...one.members };
  for (const [key, shape] of Object.entries(other.members))
    members[key] = Object.hasOwn(members, key) ? joined(members[key]!, shape) : shape;
  const isStrict = one.others === 'refused' || other.others === 'refused';
  return { members, others: isStrict ? 'refused' : 'skipped' };
}

const joinedArrays = (one: ArrayShape, other: ArrayShape): ArrayShape => ({
  elements: joined(one.elements, other.elements),
  itemsMax: Math.max(one.itemsMax, other.itemsMax),
});
