/** How a language writes a value. */
export interface Notation {
  step: string;
  text(text: string): string;
  key(key: string): string;
  word(word: unknown): string;
  /** After the last member where each stands on its own line. */
  lastComma: ',' | '';
  /** Within the braces of an object on one line. */
  padding: ' ' | '';
}

const lineMax = 64;

/** Writes a JSON value as a literal of a language; a short one stands on one line. */
export function literal(value: unknown, indent: string, notation: Notation): string {
  if (typeof value === 'string') return notation.text(value);
  if (value === null || typeof value !== 'object') return notation.word(value);
  const isList = Array.isArray(value);
  const [open, close] = isList ? '[]' : '{}';
  const inner = indent + notation.step;
  const members = isList
    ? value.map((element) => literal(element, inner, notation))
    : Object.entries(value).map(
        ([key, member]) => `${notation.key(key)}: ${literal(member, inner, notation)}`,
      );
  if (members.length === 0) return `${open}${close}`;
  const line = members.join(', ');
  const padding = isList ? '' : notation.padding;
  const isShort = indent.length + line.length < lineMax && !line.includes('\n');
  if (isShort && indent !== '' && (isList || members.length < 4))
    return `${open}${padding}${line}${padding}${close}`;
  return `${open}\n${inner}${members.join(`,\n${inner}`)}${notation.lastComma}\n${indent}${close}`;
}

/** Writes a JSON value in fewer lines than `JSON.stringify`. */
export const jsonText = (value: unknown): string =>
  literal(value, '', {
    step: '  ',
    text: (text) => JSON.stringify(text),
    key: (key) => JSON.stringify(key),
    word: String,
    lastComma: '',
    padding: ' ',
  });
