import { valueDepthMax } from '../limits.ts';
import { countValue } from '../protobuf/messages.ts';
import type { Attributes, Value } from '../span.ts';
import {
  elementsOf,
  fault,
  integerOf,
  member,
  membersOf,
  type Place,
  textOf,
  valueIn,
} from './members.ts';

/** The values, and the spans, events and links that one request has so far. */
export interface RequestCounts {
  values: number;
  messages: number;
  tooDeep: number;
}

/** Reads a list of `{ key, value }`. */
export function attributesOf(place: Place, counted: RequestCounts, depth = 0): Attributes {
  const attributes: Attributes = new Map();
  for (const pair of elementsOf(place)) {
    countValue(counted);
    attributes.set(textOf(member(pair, 'key')), anyValueOf(member(pair, 'value'), counted, depth));
  }
  return attributes;
}

const doubles: Record<string, number> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

/** Reads an AnyValue, such as `{ "stringValue": "x" }`; without a member it has no content. */
export function anyValueOf(place: Place, counted: RequestCounts, depth = 0): Value {
  if (depth > valueDepthMax) {
    counted.tooDeep += 1;
    return undefined;
  }
  const members = membersOf(place);
  const given = (name: string) => (valueIn(members, name) ?? null) !== null;
  if (given('stringValue')) return textOf(member(place, 'stringValue'));
  if (given('boolValue')) {
    const bool = member(place, 'boolValue');
    return typeof bool.value === 'boolean' ? bool.value : fault(bool, 'must be true or false');
  }
  if (given('intValue')) return integerOf(member(place, 'intValue'));
  if (given('doubleValue')) return doubleOf(member(place, 'doubleValue'));
  if (given('arrayValue'))
    return elementsOf(member(member(place, 'arrayValue'), 'values')).map((element) => {
      countValue(counted);
      return anyValueOf(element, counted, depth + 1);
    });
  if (given('kvlistValue'))
    return attributesOf(member(member(place, 'kvlistValue'), 'values'), counted, depth + 1);
  if (given('bytesValue'))
    return Uint8Array.from(Buffer.from(textOf(member(place, 'bytesValue')), 'base64'));
  return undefined;
}

function doubleOf(place: Place): number {
  const { value } = place;
  if (typeof value === 'number') return value;
  const number = typeof value === 'string' ? (doubles[value] ?? Number(value || Number.NaN)) : NaN;
  if (Number.isNaN(number) && value !== 'NaN') fault(place, 'must be a number');
  return number;
}
