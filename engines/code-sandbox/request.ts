import type { Code } from '@assay/contracts/metrics';

/**
 * A request to a child: this object as one line of JSON, then the bytes of the parts one after the
 * other. A check has no parts; an evaluation has the JSON texts of inputs, expected and outputs. A
 * child answers with one line of JSON, and starts with the line `ready`.
 */
export interface Request {
  language: Code['language'];
  source: string;
  partBytes: number[];
  timeoutMs: number;
  memoryBytesMax: number;
  answerCharactersMax: number;
}

/**
 * A child's answer. The process that writes it also runs users' code, so the answer is trusted no
 * more than that code.
 */
export type Answer =
  | { ok: true; value?: unknown; reasoning?: string }
  /** `memory`: the cap was reached. `broken`: the child must not be used again. */
  | {
      ok: false;
      message: string;
      line?: number;
      column?: number;
      memory?: boolean;
      broken?: boolean;
    };
