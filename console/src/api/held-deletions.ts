import type { ParamsOf, PathOf } from '@assay/client/operations';
import { useSyncExternalStore } from 'react';
import { sessionHeaders } from './console-secret.ts';
import { deleteIfThere } from './each.ts';
import { refresh } from './query.ts';
import { urlOf } from './request.ts';

/** How long a deletion can be undone: nothing brings back a thing that is gone. */
const heldMs = 10_000;

/** A deletion that was asked for, and is not sent yet. */
export interface HeldDeletion {
  id: string;
  /** The thing in words, such as `The testset “Questions”`. */
  thing: string;
  /** When it is sent, in milliseconds since 1970. */
  sentAt: number;
  /** Why the server refused it. */
  error?: Error;
}

interface HeldRequest extends HeldDeletion {
  url: string;
  send: () => Promise<void>;
  timer: ReturnType<typeof setTimeout>;
}

let held: readonly HeldRequest[] = [];
const listeners = new Set<() => void>();

function setHeld(next: readonly HeldRequest[]): void {
  held = next;
  for (const listener of listeners) listener();
}

const without = (id: string): HeldRequest[] => held.filter((one) => one.id !== id);

/** Deletes a thing in ten seconds, unless it is undone: at once when the page is left. */
export function holdDeletion<Path extends PathOf<'DELETE'>>(
  path: Path,
  {
    id,
    thing,
    params,
    refreshes,
  }: { id: string; thing: string; params: ParamsOf<Path>; refreshes: PathOf<'GET'>[] },
): void {
  const send = async () => {
    await deleteIfThere(path, params);
    await refresh(refreshes);
  };
  const timer = setTimeout(() => void sendHeld(id), heldMs);
  const url = urlOf(path, { params } as never);
  setHeld([...without(id), { id, thing, sentAt: Date.now() + heldMs, url, send, timer }]);
}

/** The thing stays. */
export function undoDeletion(id: string): void {
  const one = held.find((each) => each.id === id);
  clearTimeout(one?.timer);
  setHeld(without(id));
}

/** Sends a deletion before its time; one that is refused stays, and says why. */
export async function sendHeld(id: string): Promise<void> {
  const one = held.find((each) => each.id === id);
  if (!one) return;
  clearTimeout(one.timer);
  try {
    await one.send();
    setHeld(without(id));
  } catch (error) {
    setHeld(held.map((each) => (each.id === id ? { ...each, error: error as Error } : each)));
  }
}

/** A page that goes away sends the deletions that it holds: the browser finishes the requests without it. */
globalThis.addEventListener?.('pagehide', () => {
  for (const { url, timer } of held) {
    clearTimeout(timer);
    void fetch(url, {
      method: 'DELETE',
      headers: sessionHeaders(),
      credentials: 'same-origin',
      keepalive: true,
    });
  }
  held = [];
});

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The deletions that are held, the oldest first. */
export const useHeldDeletions = (): readonly HeldDeletion[] =>
  useSyncExternalStore(subscribe, () => held);
