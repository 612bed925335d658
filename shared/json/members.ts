/**
 * Finds the members of an object in JSON that is text: what is changed of it leaves all else as it
 * is written. Text that is no JSON has the members up to its fault.
 */

/** A member of an object in JSON text: its key from `from`, its value from `start` up to `end`. */
export interface Member {
  key: string;
  from: number;
  start: number;
  end: number;
}

/** Returns the members of the JSON object that begins at or after `at`, as they stand in the text. */
export function membersOf(json: string, at = 0): Member[] {
  const members: Member[] = [];
  let from = skipSpace(json, at);
  if (json[from] !== '{') return members;
  do {
    from = skipSpace(json, from + 1);
    if (json[from] !== '"') return members;
    const keyEnd = endOfText(json, from);
    const key = readKey(json.slice(from, keyEnd));
    if (key === undefined) return members;
    const start = skipSpace(json, skipSpace(json, keyEnd) + 1);
    const end = endOfValue(json, start);
    members.push({ key, from, start, end });
    from = skipSpace(json, end);
  } while (json[from] === ',');
  return members;
}

/**
 * Returns the text of an object with this value, as JSON, under the key, or without the key. All
 * else stays as it is written, so that no digit is lost.
 */
export function withMember(json: string, key: string, value: string | undefined): string {
  const members = membersOf(json);
  const found = members.findLast((member) => member.key === key);
  if (value !== undefined && found)
    return `${json.slice(0, found.start)}${value}${json.slice(found.end)}`;
  const others = members
    .filter((member) => member.key !== key)
    .map(({ from, end }) => json.slice(from, end));
  return `{${[...others, ...(value === undefined ? [] : [`${JSON.stringify(key)}:${value}`])].join(',')}}`;
}

/** The text of the value under a key; undefined for none. Of two, the last counts, as in a parser. */
export function memberText(json: string, key: string): string | undefined {
  const found = membersOf(json).findLast((member) => member.key === key);
  return found && json.slice(found.start, found.end);
}

function readKey(literal: string): string | undefined {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}

const space = /[ \t\r\n]*/y;

function skipSpace(json: string, from: number): number {
  space.lastIndex = from;
  space.test(json);
  return space.lastIndex;
}

/** Where the text ends that starts at `start` with its quote; the end of the JSON where it does not. */
export function endOfText(json: string, start: number): number {
  for (let end = json.indexOf('"', start + 1); end >= 0; end = json.indexOf('"', end + 1)) {
    let escapes = 0;
    while (json[end - 1 - escapes] === '\\') escapes += 1;
    if (escapes % 2 === 0) return end + 1;
  }
  return json.length;
}

const scalar = /[^ \t\r\n,\]}]*/y;
const mark = /["[\]{}]/g;

function endOfValue(json: string, start: number): number {
  if (json[start] === '"') return endOfText(json, start);
  if (json[start] !== '{' && json[start] !== '[') {
    scalar.lastIndex = start;
    scalar.test(json);
    return scalar.lastIndex;
  }
  let depth = 0;
  let at = start;
  do {
    mark.lastIndex = at;
    const found = mark.exec(json);
    if (!found) return json.length;
    const { 0: sign, index } = found;
    if (sign === '"') at = endOfText(json, index);
    else {
      depth += sign === '{' || sign === '[' ? 1 : -1;
      at = index + 1;
    }
  } while (depth > 0);
  return at;
}
