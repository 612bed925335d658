import { useSyncExternalStore } from 'react';

/**
 * The end of a session in mid-work: requests wait until the person has signed in again,
 * and are then sent once more. Until a session has begun on this page there is nothing to renew.
 */
let hasBegun = false;
let renewal: PromiseWithResolvers<void> | undefined;
const listeners = new Set<() => void>();

function tell(): void {
  for (const listener of listeners) listener();
}

/** Notes that somebody is signed in: whatever waits goes on. */
export function sessionBegan(): void {
  hasBegun = true;
  renewal?.resolve();
  renewal = undefined;
  tell();
}

/** Notes that the person has signed out. */
export function sessionEnded(): void {
  hasBegun = false;
}

/** Resolves when the person has signed in again; undefined where nobody was signed in. */
export function signedInAgain(): Promise<void> | undefined {
  if (!hasBegun) return undefined;
  renewal ??= Promise.withResolvers();
  tell();
  return renewal.promise;
}

/** True while requests wait for the person to sign in again. */
export const useIsRenewing = (): boolean =>
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    () => renewal !== undefined,
  );
