import { endOfText } from '@assay/json/members';
import { OtlpFailure } from '../failure.ts';
import { jsonValuesMax } from '../limits.ts';

/** A value of a JSON document, with its JSON Pointer. */
export interface Place {
  value: unknown;
  at: string;
}

/** @throws OtlpFailure where it is none, or more of it would be built than is taken. */
export function readJson(text: string): Place {
  if (hasTooManyValues(text))
    throw new OtlpFailure(
      `The request has more than ${jsonValuesMax.toLocaleString('en')} values of JSON: send fewer spans at once.`,
    );
  try {
    return { value: JSON.parse(text), at: '' };
  } catch (error) {
    throw new OtlpFailure(`The body is not JSON: ${(error as Error).message}.`);
  }
}

/** Whether values or names follow too many characters outside of strings. */
function hasTooManyValues(text: string): boolean {
  if (text.length <= jsonValuesMax) return false;
  let values = 0;
  for (let at = 0; at < text.length; at++) {
    const character = text[at]!;
    if (character === '"') at = endOfText(text, at) - 1;
    else if (',:[{'.includes(character) && ++values > jsonValuesMax) return true;
  }
  return false;
}

/** @throws OtlpFailure that names the place. */
export function fault({ at }: Place, what: string): never {
  throw new OtlpFailure(`${at === '' ? 'The body' : at} ${what}.`);
}

export type Members = Record<string, unknown>;

/** The members of an object; none where it is left out, as every field of OTLP may be. */
export function membersOf(place: Place): Members {
  const { value } = place;
  if (value === undefined || value === null) return {};
  if (typeof value !== 'object' || Array.isArray(value)) fault(place, 'must be an object');
  return value as Members;
}

export const member = (place: Place, name: string): Place => ({
  value: valueIn(membersOf(place), name),
  at: `${place.at}/${name}`,
});

const snakeNames = new Map<string, string>();

/**
 * The member of a name that OTLP writes in camel case, or of its name in snake case, which every
 * reader of protobuf's JSON takes: encoders of Python write it.
 */
export function valueIn(members: Members, name: string): unknown {
  const value = members[name];
  if (value !== undefined) return value;
  let snakeName = snakeNames.get(name);
  if (snakeName === undefined) {
    snakeName = name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
    snakeNames.set(name, snakeName);
  }
  return members[snakeName];
}

/** The elements of a list; none where it is left out. */
export function elementsOf(place: Place): Place[] {
  const { value, at } = place;
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) fault(place, 'must be an array');
  return value.map((element, index) => ({ value: element, at: `${at}/${index}` }));
}

export function textOf(place: Place): string {
  const { value } = place;
  if (value === undefined || value === null) return '';
  if (typeof value !== 'string') fault(place, 'must be a string');
  return value;
}

/** A 64-bit integer, which comes as a number or as its digits. */
export function integerOf(place: Place): bigint {
  const { value } = place;
  if (value === undefined || value === null) return 0n;
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (typeof value === 'string' && /^-?\d{1,20}$/.test(value)) return BigInt(value);
  return fault(place, 'must be an integer, as a number or as a string of digits');
}

/** A value of an enumeration: its number, or its name. */
export function enumOf(place: Place, names: readonly string[]): number {
  const { value } = place;
  if (value === undefined || value === null) return 0;
  if (typeof value === 'number' && Number.isInteger(value)) return value;
  const number = typeof value === 'string' ? names.indexOf(value) : -1;
  if (number === -1) fault(place, `must be a number, or one of ${names.join(', ')}`);
  return number;
}

/**
 * An id in hexadecimal digits, or in base64, as other encoders of protobuf's JSON write it: of 16 or 8
 * bytes that ends with `=`, which no digits do. Empty where it is none, as an id of the wrong length is.
 */
export function idOf(place: Place): Uint8Array {
  const text = textOf(place);
  const isHex = text.length % 2 === 0 && /^[0-9a-f]*$/i.test(text);
  if (isHex) return Uint8Array.from(Buffer.from(text, 'hex'));
  const isBase64 = /^(?:[a-z0-9+/]{22}==|[a-z0-9+/]{11}=)$/i.test(text);
  return isBase64 ? Uint8Array.from(Buffer.from(text, 'base64')) : new Uint8Array();
}
