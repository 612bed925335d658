import '../concurrency/low-priority.ts';
import { Failure } from '@assay/contracts/failure';
import type { PayloadPlan } from '@assay/contracts/payload';
import { move, transferableSymbol, valueSymbol } from 'piscina';
import { type ParseReply, scanBody } from './body.ts';

/**
 * Parses a large body on another thread and hands its memory back with where the payloads stand.
 */
export default function parseInWorker({
  bytes,
  plan,
  depthMax,
}: {
  bytes: ArrayBuffer;
  plan: PayloadPlan | undefined;
  depthMax: number;
}): unknown {
  try {
    return handBack({ scanned: scanBody(Buffer.from(bytes), plan, depthMax), bytes });
  } catch (error) {
    if (error instanceof Failure)
      return {
        scanned: undefined,
        bytes: new ArrayBuffer(0),
        failure: error.toWire(),
      } satisfies ParseReply;
    throw error;
  }
}

/**
 * Transfers the bytes instead of copying them; piscina looks at the symbols only where `move` says
 * so.
 */
const handBack = (parsed: ParseReply) =>
  move({ [transferableSymbol]: [parsed.bytes], [valueSymbol]: parsed });
