import type { ReplyOf } from '@assay/client/operations';
import {
  forgetConsoleSecret,
  hasSession,
  keepConsoleSecret,
  signInHeaders,
} from './console-secret.ts';
import { queryClient, reading, useReading } from './query.ts';
import { sessionBegan, sessionEnded } from './renewal.ts';
import { ApiError, request, send, urlOf } from './request.ts';

/** Who is signed in, and whether nobody is. */
export function useMe() {
  const query = useReading('/me');
  const isSignedOut = query.error instanceof ApiError && query.error.status === 401;
  return { ...query, isSignedOut };
}

export type Me = ReplyOf<'GET', '/me'>;

/** The member whose session this browser has; undefined where it has none. */
export async function signedInAs(): Promise<Me | undefined> {
  if (!hasSession()) return undefined;
  try {
    return await request('GET', '/me');
  } catch (error) {
    if (error instanceof ApiError && error.status === 401) return undefined;
    throw error;
  }
}

/** Makes a session of an API key. The key leaves the page's memory with the request. */
export const signIn = (key: string): Promise<void> =>
  startSession({ headers: { authorization: `Bearer ${key}` } });

/** Makes a session of the token of a sign-in link, which works once. */
export const signInOnce = (token: string): Promise<void> =>
  startSession({
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token }),
  });

async function startSession(init: RequestInit): Promise<void> {
  const began = await send(
    urlOf('/session'),
    { method: 'POST', ...init, headers: { ...init.headers, ...signInHeaders } },
    { isSignIn: true },
  );
  keepConsoleSecret(began);
  sessionBegan();
  await queryClient.invalidateQueries({ queryKey: reading('/me').queryKey });
}

export async function signOut(): Promise<void> {
  await send(urlOf('/session'), { method: 'DELETE' }, { isSignIn: true });
  forgetConsoleSecret();
  sessionEnded();
  queryClient.clear();
}
