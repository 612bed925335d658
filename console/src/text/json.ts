/** Returns the object that a person typed, or an error that says what is wrong with it. */
export function parseObject(text: string): Record<string, unknown> | Error {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value))
      return value as Record<string, unknown>;
    return new Error('Must be a JSON object, such as {"model": "gpt-4o"}.');
  } catch (error) {
    return new Error(`This is no JSON: ${(error as Error).message}.`);
  }
}

/** A payload in short: the text of its only field, else its JSON, indented. */
export function readable(payload: Record<string, unknown>): string {
  const values = Object.values(payload);
  const [only] = values;
  if (values.length === 1 && typeof only === 'string') return only;
  return JSON.stringify(payload, undefined, 1);
}
