/** A text of this form is no JSON: it stands for a longer one. */
const hash = /^(?=.*[a-f])[0-9a-f]{64}$/;

/** The value of a row of a breakdown: its JSON text, or `sha256:` and the hash that stands for it. */
export const breakdownText = (text: string): string => (hash.test(text) ? `sha256:${text}` : text);
