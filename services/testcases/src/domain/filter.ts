/** Which testcases of a list are wanted: all, unless it says more. */
export interface TestcaseFilter {
  /** Part of the data, in any case. */
  text: string | undefined;
  /** Only testcases that break the schema. */
  isInvalid: boolean | undefined;
}

/**
 * Returns a function that says whether data has this text, in any case: in its JSON text as it was
 * sent, or in a string of it that was sent with escapes (`Z\u00fcrich` has `zürich`).
 */
export function hasText(text: string): (data: Uint8Array) => boolean {
  const wanted = text.toLowerCase();
  const escaped = JSON.stringify(wanted).slice(1, -1);
  return (data) => {
    const json = Buffer.from(data.buffer, data.byteOffset, data.length).toString();
    if (json.toLowerCase().includes(wanted)) return true;
    return json.includes('\\') && JSON.stringify(JSON.parse(json)).toLowerCase().includes(escaped);
  };
}
