interface RecordParts {
  inputs: unknown;
  expected: unknown;
  outputs: unknown;
}

/** A record's parts as the sandbox takes them. */
export function toBytes({ inputs = {}, expected = {}, outputs = {} }: Partial<RecordParts>) {
  const bytes = (value: unknown): Uint8Array => Buffer.from(JSON.stringify(value));
  return { inputs: bytes(inputs), expected: bytes(expected), outputs: bytes(outputs) };
}
