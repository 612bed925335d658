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
 *   and so do typed arrays; bytes become Base64. An Error is its name and its message.
 * - A bigint is a number where a double holds it, else a text.
 * - Members that are undefined are left out, as JSON leaves them out.
 * - NaN, infinity, functions, symbols, dates that are none, an object that contains itself, and one that
 *   lies deeper than 200 levels, become null with a note.
 */
export function outputsOf(result: unknown): { outputs: Json; notes: RecordNote[] } {
  const isObject = typeof result === 'object' && result !== null && !elementsOf(result);
  const path = isObject ? ['outputs'] : ['outputs', 'output'];
  const { json, notes } = jsonOf(result, path);
  // An object may say by `toJSON` that it is a text, as a date does.
  return { outputs: isObject && isPlainObject(json) ? json : { output: json }, notes };
}

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

  function leftOut(path: readonly string[], what: string): null {
    if (notes.length < recordNotesMax)
      notes.push({
        code: 'not_converted',
        path: notedPath(path),
        message: `${what} is no JSON: ${storedAsNull}.`,
      });
    return null;
  }

  function convert(value: unknown, path: readonly string[]): unknown {
    switch (typeof value) {
      case 'undefined':
        return null;
      case 'boolean':
        return value;
      case 'string':
        return value.toWellFormed();
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
      // A getter of the user may fail at anything it is asked.
      const reason = error instanceof Error ? error.message : String(error);
      return leftOut(path, `${kindOf(value)} that failed with ${reason.slice(0, 200)}`);
    } finally {
      open.delete(value);
    }
  }

  function convertWhole(value: object, path: readonly string[]): unknown {
    if (value instanceof Date && Number.isNaN(value.getTime())) return leftOut(path, 'A date');
    // Of a file, or of a system that is no JavaScript.
    if (value instanceof JsonNumber) return value;
    if (value instanceof Uint8Array) return Buffer.from(value).toString('base64');
    if ('toJSON' in value && typeof value.toJSON === 'function')
      return convert(value.toJSON(''), path);
    const elements = elementsOf(value);
    if (elements) return elements.map((each, index) => convert(each, [...path, String(index)]));
    const converted: [string, unknown][] = [];
    for (const [name, member] of membersOf(value)) {
      if (member === undefined) continue;
      const key = String(name).toWellFormed();
      converted.push([key, convert(member, [...path, key])]);
    }
    // Own members, whatever they are called: `__proto__` too.
    return Object.fromEntries(converted);
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
  if (value instanceof Set) return [...value];
  if (ArrayBuffer.isView(value) && Symbol.iterator in value && !(value instanceof Uint8Array))
    return [...(value as unknown as Iterable<unknown>)];
  return undefined;
}

function membersOf(value: object): Iterable<[unknown, unknown]> {
  if (value instanceof Map) return value;
  if (value instanceof Error) return Object.entries({ name: value.name, message: value.message });
  return Object.entries(value);
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
