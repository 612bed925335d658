import { notedPath, recordNotesMax } from '@assay/contracts/record-notes';
import { JsonNumber } from '@assay/json/value';
import type { Json } from './evaluation.ts';
import type { Note } from './notes.ts';

/** A note on a record: of a value that could not be stored, or given to the system, as it was. */
export interface RecordNote {
  code: 'not_converted' | 'holds_doubles';
  /** A JSON Pointer into the record, such as `/outputs/score`. */
  path: string;
  message: string;
}

const levelsMax = 200;
const storedAsNull = 'it was stored as null';

/**
 * The answer of a system as the JSON that a record keeps, and a note for each value that has none.
 * A result that is no object is stored as `{ output: result }`. The rule, which docs/evaluate.md
 * tells users:
 *
 * - An object with `toJSON`, as dates have, is converted as that says. A Map becomes an object, a Set a list,
 *   and so do typed arrays and generators; bytes become Base64. An Error is its name and its message.
 * - A bigint is a number where a double holds it, else a text.
 * - Members that are undefined are left out, as JSON leaves them out. So is a second member of a Map whose
 *   name is the same as a text, with a note.
 * - NaN, infinity, functions, symbols, dates that are none, objects of classes that show no members, as
 *   promises do, a getter that throws, an object that contains itself, and one that lies deeper than 200
 *   levels, become null with a note.
 */
export function outputsOf(result: unknown): { outputs: Json; notes: RecordNote[] } {
  const isObject = typeof result === 'object' && result !== null && !isList(result);
  const { json, notes } = jsonOf(result, isObject ? ['outputs'] : ['outputs', 'output']);
  if (isObject && isPlainObject(json)) return { outputs: json, notes };
  // An object may say by `toJSON` that it is a text, as a date does, or show no members at all.
  const moved = notes.map((note) => ({ ...note, path: note.path.replace(ofOutputs, '/output') }));
  return { outputs: { output: json }, notes: isObject ? moved : notes };
}

/** The place behind the name of the outputs. */
const ofOutputs = /(?<=^\/outputs)/;

const isPlainObject = (json: unknown): json is Json =>
  typeof json === 'object' && json !== null && !Array.isArray(json);

/** Any value as JSON, by the same rule. `place` is where it stands, for the notes. */
export function jsonOf(
  given: unknown,
  place: readonly string[],
): { json: unknown; notes: RecordNote[] } {
  const notes: RecordNote[] = [];
  /** The values on the way from the root: one of them again would never end. */
  const open = new Set<object>();

  function note(path: readonly string[], message: string): void {
    if (notes.length < recordNotesMax)
      notes.push({ code: 'not_converted', path: notedPath(path), message });
  }

  function leftOut(path: readonly string[], what: string): null {
    note(path, `${what} is no JSON: ${storedAsNull}.`);
    return null;
  }

  function failed(path: readonly string[], what: string, error: unknown): null {
    const reason = error instanceof Error ? error.message : String(error);
    return leftOut(path, `${what} that failed with ${reason.slice(0, 200)}`);
  }

  function convert(value: unknown, path: readonly string[]): unknown {
    switch (typeof value) {
      case 'undefined':
        return null;
      case 'boolean':
        return value;
      case 'string':
        // A half of a surrogate pair, too: JSON can say it.
        return value;
      case 'number':
        return Number.isFinite(value) ? value : leftOut(path, String(value));
      case 'bigint':
        return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
      case 'object':
        return value === null ? null : convertObject(value, path);
      default:
        return leftOut(path, `A ${typeof value}`);
    }
  }

  function convertObject(value: object, path: readonly string[]): unknown {
    if (open.has(value)) return leftOut(path, `${kindOf(value)} that contains itself`);
    if (path.length > levelsMax)
      return leftOut(path, `${kindOf(value)} deeper than ${levelsMax} levels`);
    open.add(value);
    try {
      return convertWhole(value, path);
    } catch (error) {
      // An object of the user may fail at anything it is asked.
      return failed(path, kindOf(value), error);
    } finally {
      open.delete(value);
    }
  }

  function convertWhole(value: object, path: readonly string[]): unknown {
    if (value instanceof Date && Number.isNaN(value.getTime())) return leftOut(path, 'A date');
    // Of a file, or of a system that is no JavaScript.
    if (value instanceof JsonNumber) return value;
    if (isBoxed(value)) return convert(value.valueOf(), path);
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
    if ('toJSON' in value && typeof value.toJSON === 'function')
      return convert(value.toJSON(''), path);
    const elements = elementsOf(value);
    if (elements) return elements.map((each, index) => convert(each, [...path, String(index)]));
    const members = membersOf(value);
    if (members.length === 0 && !isOpen(value)) return leftOut(path, kindOf(value));
    const converted = new Map<string, unknown>();
    for (const { name, read } of members) {
      const place = [...path, name];
      if (converted.has(name))
        note(place, 'A second member of the same name is no JSON: it was left out.');
      else addMember(converted, { name, read, place });
    }
    // Own members, whatever they are called: `__proto__` too.
    return Object.fromEntries(converted);
  }

  function addMember(
    converted: Map<string, unknown>,
    { name, read, place }: Member & { place: readonly string[] },
  ): void {
    let member: unknown;
    try {
      member = read();
    } catch (error) {
      converted.set(name, failed(place, 'A getter', error));
      return;
    }
    if (member !== undefined) converted.set(name, convert(member, place));
  }

  return { json: convert(given, place), notes };
}

/** Why a value has no JSON, with the place in it; undefined where it has one. */
export function jsonFault(value: unknown): string | undefined {
  const [note] = jsonOf(value, []).notes;
  return note && `${note.path}: ${note.message.replace(`: ${storedAsNull}`, '')}`;
}

/** The elements of a value that becomes a list; undefined for everything else. */
function elementsOf(value: object): unknown[] | undefined {
  if (Array.isArray(value)) return Array.from(value);
  if (value instanceof Set || isGenerator(value)) return [...value];
  if (ArrayBuffer.isView(value) && Symbol.iterator in value && !(value instanceof Uint8Array))
    return [...(value as unknown as Iterable<unknown>)];
  return undefined;
}

/** Whether a value becomes a list; a generator is not begun for that. */
const isList = (value: object): boolean => isGenerator(value) || elementsOf(value) !== undefined;

const isGenerator = (value: object): value is Iterable<unknown> =>
  Object.prototype.toString.call(value) === '[object Generator]' && Symbol.iterator in value;

/** A number, text or boolean as an object, as `new Number(3)`. */
const isBoxed = (value: object): boolean =>
  value instanceof Number ||
  value instanceof String ||
  value instanceof Boolean ||
  value instanceof BigInt;

/** A member of an object, which is read later: its getter may throw. */
interface Member {
  name: string;
  read: () => unknown;
}

function membersOf(value: object): Member[] {
  if (value instanceof Map)
    return [...value].map(([name, member]) => ({ name: String(name), read: () => member }));
  const names = value instanceof Error ? ['name', 'message'] : Object.keys(value);
  return names.map((name) => ({ name, read: () => (value as Json)[name] }));
}

/** Whether an object shows all that it holds, as one of no class does. */
function isOpen(value: object): boolean {
  const prototype = Object.getPrototypeOf(value);
  return value instanceof Map || prototype === null || Object.getPrototypeOf(prototype) === null;
}

const kindOf = (value: object): string => `A value of ${value.constructor?.name || 'Object'}`;

/** The values of an evaluation that could not be stored, or given to the system, as they were. */
export interface ConversionLog {
  add(notes: RecordNote[]): void;
  notes(): Note[];
}

export function createConversionLog(): ConversionLog {
  const logs = [createLog('not_converted'), createLog('holds_doubles')];
  return {
    add(notes) {
      for (const log of logs) log.add(notes);
    },
    notes: () => logs.flatMap((log) => log.notes()),
  };
}

const happened = {
  not_converted: 'could not be stored',
  holds_doubles: 'could not be held by a number of JavaScript',
};

function createLog(code: RecordNote['code']): ConversionLog {
  let values = 0;
  let records = 0;
  let first: RecordNote | undefined;
  return {
    add(all) {
      const notes = all.filter((note) => note.code === code);
      values += notes.length;
      records += notes.length > 0 ? 1 : 0;
      first ??= notes[0];
    },
    notes() {
      if (!first) return [];
      const counted = `${values} ${values === 1 ? 'value' : 'values'} of ${records} ${records === 1 ? 'record' : 'records'}`;
      const text = `${counted} ${happened[code]}. The first: ${first.path}: ${first.message}`;
      return [{ text, isFailure: code === 'not_converted' }];
    },
  };
}
