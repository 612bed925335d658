import { createWorkers } from '@assay/runtime/concurrency/workers';
import { ToolFailure } from './answer.ts';

/** The task: a payload, of which a part of the value at some segments of a pointer is wanted. */
export interface PayloadTask {
  bytes: Uint8Array<ArrayBuffer>;
  segments: string[];
  offset: number;
}

/** Some characters of a value, and how many it has: of a text its own, of any other its JSON's. */
export interface PayloadPart {
  part: string;
  characters: number;
}

/** A payload has up to 15 MiB. */
const workers = createWorkers({
  module: import.meta.url,
  name: './payload-part-worker',
  timeoutMs: 10_000,
  heapMiBMax: 256,
});

/**
 * Reads a part of a payload on another thread, one for each organization at a time.
 * @throws ToolFailure where it takes too much time or memory.
 */
export const readPayloadPart = (
  task: PayloadTask,
  { organizationId }: { organizationId: string },
): Promise<PayloadPart | undefined> =>
  workers.run<PayloadTask, PayloadPart | undefined>(task, {
    organizationId,
    handedOver: ({ bytes }) => [bytes.buffer],
    refuse: ({ stopped }) =>
      new ToolFailure(`The payload takes too much ${stopped} to read: it is left as it is.`),
  });
