/**
 * The limits of an evaluation: its time and memory, unless the sandbox has other settings, and its
 * answer.
 */
export const sandboxLimits = {
  timeoutMs: 1000,
  memoryBytesMax: 128 * 1024 * 1024,
  /** Of the value and its reasoning, as JSON. */
  answerCharactersMax: 65_536,
  messageCharactersMax: 2000,
  valueDepthMax: 512,
} as const;
