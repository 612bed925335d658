import type { Code } from '@assay/contracts/metrics';

/**
 * What a child is asked: this as one line of JSON, then the parts' bytes one after the other. A check has no parts, an evaluation has
 * the JSON texts of inputs, expected and outputs. A child answers with one line of JSON, and starts with the line `ready`.
 */
export interface Request {
  language: Code['language'];
  source: string;
  partBytes: number[];
  timeoutMs: number;
  memoryBytesMax: number;
  answerCharactersMax: number;
}

/** What a child answers. It comes from beside users' code, and is believed no more than that code. */
export type Answer =
  | { ok: true; value?: unknown; reasoning?: string }
  /** `memory`: the cap was reached. `broken`: the child must not be used again. */
  | { ok: false; message: string; line?: number; column?: number; memory?: boolean; broken?: boolean };
