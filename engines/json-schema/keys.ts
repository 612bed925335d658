/**
 * Returns the keys of the schema's `properties`, in the order of the schema text. JavaScript
 * objects put integer-like keys first, so the text itself is scanned. Of a repeated `properties`
 * the last counts, as in JSON.parse. For text that `check` found no fault with; of other text,
 * returns the keys that could be read.
 */
export function topLevelKeys(schemaText: string): string[] {
  let propertiesAt = -1;
  for (const { key, valueAt } of members({ text: schemaText, at: skipSpace(schemaText, 0) })) {
    if (key === 'properties') propertiesAt = valueAt;
  }
  if (propertiesAt < 0) return [];
  return [...new Set(members({ text: schemaText, at: propertiesAt }).map(({ key }) => key))];
}

interface Member {
  key: string;
  valueAt: number;
}

function members({ text, at }: { text: string; at: number }): Member[] {
  const found: Member[] = [];
  if (text[at] !== '{') return found;
  let position = skipSpace(text, at + 1);
  while (text[position] === '"') {
    const keyEnd = skipString(text, position);
    const key = readKey(text.slice(position, keyEnd));
    const valueAt = skipSpace(text, skipSpace(text, keyEnd) + 1);
    if (key === undefined) return found;
    found.push({ key, valueAt });
    position = skipSpace(text, skipValue(text, valueAt));
    if (text[position] !== ',') return found;
    position = skipSpace(text, position + 1);
  }
  return found;
}

function readKey(literal: string): string | undefined {
  try {
    return JSON.parse(literal);
  } catch {
    return undefined;
  }
}

function skipSpace(text: string, at: number): number {
  let position = at;
  while (position < text.length && ' \t\n\r'.includes(text[position]!)) position++;
  return position;
}

function skipString(text: string, at: number): number {
  let position = at + 1;
  while (position < text.length && text[position] !== '"')
    position += text[position] === '\\' ? 2 : 1;
  return position + 1;
}

function skipValue(text: string, at: number): number {
  let position = at;
  let depth = 0;
  while (position < text.length) {
    const character = text[position]!;
    if (character === '"') position = skipString(text, position) - 1;
    else if (character === '{' || character === '[') depth++;
    else if (character === '}' || character === ']') depth--;
    if (depth < 0 || (depth === 0 && character === ',')) return position;
    position++;
  }
  return position;
}
