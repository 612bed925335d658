/** A member of an object in JSON text: its key from `from`, its value from `start` up to `end`. */
export interface Member {
  key: string;
  from: number;
  start: number;
  end: number;
}

/** Returns the members of a JSON object as they stand in its text, which must be valid. */
export function membersOf(json: string): Member[] {
  const members: Member[] = [];
  let at = json.indexOf('{') + 1;
  for (;;) {
    const from = json.indexOf('"', at);
    const keyEnd = from < 0 ? from : stringEnd(json, from);
    if (from < 0) return members;
    const start = skipSpace(json, json.indexOf(':', keyEnd) + 1);
    const end = valueEnd(json, start);
    members.push({ key: JSON.parse(json.slice(from, keyEnd)), from, start, end });
    at = skipSpace(json, end) + 1;
    if (json[at - 1] === '}') return members;
  }
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

const space = /[ \t\r\n]*/y;

function skipSpace(json: string, from: number): number {
  space.lastIndex = from;
  space.test(json);
  return space.lastIndex;
}

/** The position after the string that begins at `start` with its quote. */
function stringEnd(json: string, start: number): number {
  for (let at = start + 1; ; at += 1) {
    if (json[at] === '\\') at += 1;
    else if (json[at] === '"') return at + 1;
  }
}

const scalar = /[^ \t\r\n,\]}]*/y;
const mark = /["[\]{}]/g;

function valueEnd(json: string, start: number): number {
  if (json[start] === '"') return stringEnd(json, start);
  if (json[start] !== '{' && json[start] !== '[') {
    scalar.lastIndex = start;
    scalar.test(json);
    return scalar.lastIndex;
  }
  let depth = 0;
  let at = start;
  do {
    mark.lastIndex = at;
    const { 0: sign, index } = mark.exec(json)!;
    if (sign === '"') at = stringEnd(json, index);
    else {
      depth += sign === '{' || sign === '[' ? 1 : -1;
      at = index + 1;
    }
  } while (depth > 0);
  return at;
}
