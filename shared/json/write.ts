import { isComposite, JsonNumber } from './value.ts';

/**
 * Writes a value as `JSON.stringify` does, with the digits of its numbers as they were sent, or as
 * `numberText` writes them.
 */
export function writeJson(
  value: unknown,
  numberText: (number: JsonNumber) => string = ({ text }) => text,
): string {
  return hasJsonNumbers(value) ? write(value, numberText) : JSON.stringify(value);
}

function hasJsonNumbers(value: unknown): boolean {
  if (value instanceof JsonNumber) return true;
  return isComposite(value) && Object.values(value).some(hasJsonNumbers);
}

function write(value: unknown, numberText: (number: JsonNumber) => string): string {
  if (value instanceof JsonNumber) return numberText(value);
  if (Array.isArray(value))
    return `[${value.map((element) => write(element ?? null, numberText)).join(',')}]`;
  // A date writes itself.
  if (!isComposite(value) || typeof value.toJSON === 'function') return JSON.stringify(value);
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}:${write(member, numberText)}`);
  return `{${members.join(',')}}`;
}
