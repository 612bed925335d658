/** The labels as they are stored and looked for, `key:value`: a key has no colon. */
export const labelTexts = (labels: Record<string, string>): string[] =>
  Object.entries(labels).map(([key, value]) => `${key}:${value}`);

/** The labels as a run shows them. */
export const labelsOf = (texts: string[]): Record<string, string> =>
  Object.fromEntries(
    texts.map((text) => {
      const colon = text.indexOf(':');
      return [text.slice(0, colon), text.slice(colon + 1)];
    }),
  );
