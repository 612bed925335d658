import { useEffect, useState } from 'react';
import { ApiError, send } from '../../api/request.ts';

/** What has come of a payload so far; the array is whole once `isComplete`. */
export interface LoadedBytes {
  bytes: Uint8Array;
  isComplete: boolean;
  /** Bytes in all, where the service says so. */
  total: number | undefined;
}

/** How often what has come is shown while more is coming, in ms. */
const shownEveryMs = 250;

/** How much of a payload is read before somebody looks at it. */
const headBytes = 256 * 1024;
/** Bytes that are shown at once of a payload that was not read to its end: more would take long. */
const shownHeadBytes = 64 * 1024;
/** As many as the records of a review that are read ahead have, and some behind. */
const headsMax = 30;
/** The beginnings of payloads that were read ahead, by their URLs, the oldest first. */
const heads = new Map<string, LoadedBytes>();

/** Keeps the beginning of a payload, so that it is there when somebody looks at it. */
export function keepHead(url: string, head: LoadedBytes): void {
  heads.delete(url);
  heads.set(url, head);
  for (const oldest of [...heads.keys()].slice(0, -headsMax)) heads.delete(oldest);
}

/** Reads the beginning of a payload of this many bytes ahead. */
export async function readHead(url: string, total: number): Promise<void> {
  const response = await send(url, { headers: { range: `bytes=0-${headBytes - 1}` } });
  const bytes = new Uint8Array(await response.arrayBuffer());
  const isComplete = bytes.length === total;
  keepHead(url, { bytes: isComplete ? bytes : bytes.slice(0, shownHeadBytes), isComplete, total });
}

/** Reads the bytes of a URL, and shows the first of them while the rest comes. */
export function useBytes(url: string): {
  loaded: LoadedBytes | undefined;
  error: Error | undefined;
  retry: () => void;
} {
  const [attempt, setAttempt] = useState(0);
  const [state, setState] = useState<{ loaded?: LoadedBytes; error?: Error; of: string }>({
    of: url,
  });
  // biome-ignore lint/correctness/useExhaustiveDependencies: Another attempt reads it again.
  useEffect(() => {
    if (heads.get(url)?.isComplete) return;
    const leaving = new AbortController();
    readBytes(url, {
      signal: leaving.signal,
      show: (loaded) => setState({ loaded, of: url }),
    }).catch((error: unknown) => {
      if (!leaving.signal.aborted) setState({ error: asError(error), of: url });
    });
    return () => leaving.abort();
  }, [url, attempt]);
  const { loaded = heads.get(url), error } = state.of === url ? state : {};
  return { loaded, error, retry: () => setAttempt(attempt + 1) };
}

const asError = (error: unknown): Error =>
  error instanceof Error
    ? error
    : new ApiError({ code: 'NETWORK', message: 'The payload could not be read to its end.' });

async function readBytes(
  url: string,
  { signal, show }: { signal: AbortSignal; show: (loaded: LoadedBytes) => void },
): Promise<void> {
  const response = await send(url, { signal });
  const length = Number(response.headers.get('content-length') ?? Number.NaN);
  const isEncoded = response.headers.has('content-encoding');
  const total = Number.isFinite(length) && !isEncoded ? length : undefined;
  let bytes = new Uint8Array(total ?? 64 * 1024);
  let count = 0;
  let shownAt = 0;
  const reader = response.body!.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) break;
    if (count + value.length > bytes.length) {
      const grown = new Uint8Array(Math.max(bytes.length * 2, count + value.length));
      grown.set(bytes.subarray(0, count));
      bytes = grown;
    }
    bytes.set(value, count);
    count += value.length;
    if (performance.now() - shownAt < shownEveryMs) continue;
    shownAt = performance.now();
    show({ bytes: bytes.subarray(0, count), isComplete: false, total });
  }
  show({ bytes: bytes.subarray(0, count), isComplete: true, total: count });
}
