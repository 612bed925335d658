import { RequestFailure } from '@assay/client/client';
import { printable } from '@assay/client/printable';
import type { Evaluation } from './evaluation.ts';

/**
 * The reason why an evaluation has no good end, in a sentence with advice. Where nobody
 * catches it, the process ends with this sentence alone, and with `exitCode`.
 */
export class AssayError extends Error {
  override name = 'AssayError';
  /** 1 where the gate found the system worse, else 2. */
  readonly exitCode: 1 | 2;
  /** The result, where the gate refused it. */
  readonly evaluation: Evaluation | undefined;

  constructor(message: string, { evaluation }: { evaluation?: Evaluation } = {}) {
    super(message);
    this.exitCode = evaluation?.exitCode === 1 ? 1 : 2;
    this.evaluation = evaluation;
    // A trace through this package would say nothing to its users.
    this.stack = `${this.name}: ${message}`;
  }
}

/** The errors of this moment, which share one listener. */
const thrown = new Set<unknown>();

/**
 * Ends the process with the sentence of an error that nobody catches. Node.js looks for unhandled
 * errors before the next immediate.
 */
export function endWithSentence(error: AssayError): void {
  if (thrown.size === 0) process.on('uncaughtException', end);
  thrown.add(error);
  setImmediate(() => {
    thrown.delete(error);
    if (thrown.size === 0) process.off('uncaughtException', end);
  });
}

function end(uncaught: unknown): never {
  if (uncaught instanceof AssayError && thrown.has(uncaught)) {
    process.stderr.write(`${printable(uncaught.message)}\n`);
    process.exit(uncaught.exitCode);
  }
  process.stderr.write(`${(uncaught as Error)?.stack ?? String(uncaught)}\n`);
  process.exit(1);
}

/** The error as one of ours: the service's own words where it refuses; undefined for any other. */
export function sentenceOf(error: unknown, url: string): string | undefined {
  if (error instanceof AssayError) return error.message;
  if (!(error instanceof RequestFailure)) return undefined;
  const { status, code, reason } = error;
  if (status === undefined)
    return `Assay is not reached at ${url} (${reason}). Is it running, and is ASSAY_URL its address?`;
  if (code === undefined)
    return `What answers at ${url} is not Assay: set ASSAY_URL to its address, such as http://127.0.0.1:4400.`;
  if (code === 'UNAUTHORIZED')
    return `The key is not accepted by ${url}: set ASSAY_API_KEY to a key of this server (in the console: Settings, API keys).`;
  return `Assay answered ${reason}`;
}
