/** Bytes of chunks that are taken together, and that wait to be taken. */
const gatheredBytesMax = 1024 * 1024;

/**
 * Yields the chunks of a body. Joins chunks that arrive while the consumer is busy into one, so
 * that a fast client's entries are stored by the hundred. Leaving early does not cut the
 * connection, as a plain loop over a request would: the rest is read and dropped, so that the
 * client receives its answer. If the body breaks off, chunks that the consumer has not taken are
 * dropped: the client is gone. Calls `tell` where the consumer has waited `afterMs` for a chunk.
 */
export async function* readToEnd(
  stream: AsyncIterable<Uint8Array>,
  silence?: { afterMs: number; tell: () => void },
): AsyncGenerator<Buffer> {
  let waiting: Uint8Array[] = [];
  let bytes = 0;
  let state: 'reading' | 'ended' | 'broken' | 'left' = 'reading';
  const change = createSignal();

  async function read(): Promise<void> {
    for await (const chunk of stream) {
      if (state === 'left') continue;
      waiting.push(chunk);
      bytes += chunk.length;
      change.tell();
      while (bytes >= gatheredBytesMax && state === 'reading') await change.heard();
    }
  }

  const end = (as: 'ended' | 'broken') => {
    state = as;
    change.tell();
  };
  const isBroken = () => state === 'broken';
  const reading = caught(read());
  reading.then(
    () => end('ended'),
    () => end('broken'),
  );
  try {
    for (;;) {
      const timer = silence && setTimeout(silence.tell, silence.afterMs);
      while (waiting.length === 0 && state === 'reading') await change.heard();
      clearTimeout(timer);
      if (waiting.length === 0 || isBroken()) break;
      const gathered = Buffer.concat(waiting);
      waiting = [];
      bytes = 0;
      change.tell();
      yield gathered;
    }
    await reading;
  } finally {
    state = 'left';
    change.tell();
  }
}

/** Lets one part of a function wait for another. */
function createSignal() {
  let tellAll: () => void = nothing;
  let next = new Promise<void>((resolve) => {
    tellAll = resolve;
  });
  return {
    heard: () => next,
    tell(): void {
      tellAll();
      next = new Promise<void>((resolve) => {
        tellAll = resolve;
      });
    },
  };
}

const nothing = (): undefined => undefined;

/**
 * Marks a rejection as handled. Callers that await the promise still get it; without such a caller
 * it is no fault.
 */
export function caught<Value>(promise: Promise<Value>): Promise<Value> {
  promise.catch(nothing);
  return promise;
}
