import type { ParamsOf, PathOf } from '@assay/client/operations';
import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { type ReadPath, refresh } from './query.ts';
import { ApiError, request } from './request.ts';

/** Does something to each of several things, at most so many at once; ends at the first failure. */
export async function eachOf<Item>(
  items: readonly Item[],
  { atOnce }: { atOnce: number },
  work: (item: Item) => Promise<void>,
): Promise<void> {
  // One iterator for all: each takes the next item when it is done with the one before.
  const waiting = items.values();
  const takeNext = async () => {
    for (const item of waiting) await work(item);
  };
  await Promise.all(Array.from({ length: atOnce }, takeNext));
}

/** How often a request is sent that the server was too busy for. */
const attemptsMax = 4;

/** Sends a request that a repeat does no harm to: again, where the server was too busy for it. */
export async function whenAccepted<Reply>(
  send: () => Promise<Reply>,
  signal?: AbortSignal,
): Promise<Reply> {
  for (let attempt = 1; ; attempt += 1)
    try {
      signal?.throwIfAborted();
      return await send();
    } catch (error) {
      const seconds = error instanceof ApiError ? error.retryAfterSeconds : undefined;
      if (seconds === undefined || attempt === attemptsMax) throw error;
      await new Promise((resolve) => setTimeout(resolve, seconds * 1000));
    }
}

/** Requests of one change that are under way at once. */
const atOnce = 4;

/**
 * Changes each of several things, which a repeat does no harm to, and has what was read under these
 * paths read again.
 */
export function useEach<Input = void>(
  ids: readonly string[],
  {
    work,
    refreshes,
  }: { work: (id: string, input: Input) => Promise<unknown>; refreshes: ReadPath[] },
) {
  const [done, setDone] = useState(0);
  const changes = useMutation({
    mutationFn: async (input: Input) => {
      setDone(0);
      await eachOf(ids, { atOnce }, async (id) => {
        await whenAccepted(() => work(id, input));
        setDone((before) => before + 1);
      });
    },
    onSettled: () => refresh(refreshes),
  });
  return { ...changes, done };
}

/** Deletes a thing; one that somebody else has deleted is deleted, too. */
export async function deleteIfThere<Path extends PathOf<'DELETE'>>(
  path: Path,
  params: ParamsOf<Path>,
): Promise<void> {
  try {
    await request('DELETE', path, { params } as never);
  } catch (error) {
    if (!(error instanceof ApiError) || error.status !== 404) throw error;
  }
}
