/** Levels of objects and arrays that a body may have (contract section 1, Limits). */
export const bodyDepthMax = 512;

/**
 * A number of JSON as it was sent, where a double cannot say it: `12345678901234567890`, `1e400`,
 * but also `1.0` and `-0`. Any number that JavaScript writes as it was sent is a plain number.
 */
export class JsonNumber {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** Is it a whole number without a point and an exponent? */
  get isInDigits(): boolean {
    return /^-?\d+$/.test(this.text);
  }

  toString(): string {
    return this.text;
  }

  /** The nearest double: the number of whoever writes the value by `JSON.stringify`. */
  toJSON(): number {
    return Number(this.text);
  }
}

/** Is the value a number that JSON can have? */
export const isNumber = (value: unknown): value is number | JsonNumber =>
  Number.isFinite(value) || value instanceof JsonNumber;

/** The text of a number, as it was sent. */
export const numberText = (value: number | JsonNumber): string =>
  typeof value === 'number' ? String(value) : value.text;

export function isObject(value: unknown): value is Record<string, unknown> {
  return (
    typeof value === 'object' &&
    value !== null &&
    !Array.isArray(value) &&
    !(value instanceof JsonNumber)
  );
}

/** Is the value an object or an array? */
export const isComposite = (value: unknown): value is Record<string | number, unknown> =>
  typeof value === 'object' && value !== null && !(value instanceof JsonNumber);

/** True if objects and arrays are nested more than `levels` deep. */
export function hasMoreLevels(value: unknown, levels: number): boolean {
  if (!isComposite(value)) return false;
  return levels === 0 || Object.values(value).some((inner) => hasMoreLevels(inner, levels - 1));
}

/** Is there a number in the value that JavaScript would write otherwise than it was sent? */
export function hasJsonNumbers(value: unknown): boolean {
  if (value instanceof JsonNumber) return true;
  return isComposite(value) && Object.values(value).some(hasJsonNumbers);
}
