import { hasJsonNumbers, isComposite, JsonNumber } from './value.ts';

interface Form {
  /** How a number is written that was not sent as JavaScript writes it. */
  numberText?: (number: JsonNumber) => string;
  /** Spaces for each level, on lines of their own; none for one line. */
  indent?: number;
}

/**
 * Writes a value as `JSON.stringify` does, with the digits of its numbers as they were sent, or as
 * `numberText` writes them.
 */
export function writeJson(value: unknown, { numberText = asSent, indent = 0 }: Form = {}): string {
  return hasJsonNumbers(value)
    ? write(value, { numberText, indent, margin: '' })
    : JSON.stringify(value, null, indent);
}

const asSent = ({ text }: JsonNumber): string => text;

function write(value: unknown, form: Required<Form> & { margin: string }): string {
  if (value instanceof JsonNumber) return form.numberText(value);
  const { indent, margin } = form;
  const inner = { ...form, margin: margin + ' '.repeat(indent) };
  if (Array.isArray(value))
    return block(
      '[]',
      value.map((element) => write(element ?? null, inner)),
      form,
    );
  // A date writes itself.
  if (!isComposite(value) || typeof value.toJSON === 'function') return JSON.stringify(value);
  const colon = indent > 0 ? ': ' : ':';
  const members = Object.entries(value)
    .filter(([, member]) => member !== undefined)
    .map(([key, member]) => `${JSON.stringify(key)}${colon}${write(member, inner)}`);
  return block('{}', members, form);
}

function block(
  [open, close]: string,
  parts: string[],
  { indent, margin }: { indent: number; margin: string },
): string {
  if (indent === 0 || parts.length === 0) return `${open}${parts.join(',')}${close}`;
  const line = `\n${margin}${' '.repeat(indent)}`;
  return `${open}${line}${parts.join(`,${line}`)}\n${margin}${close}`;
}
