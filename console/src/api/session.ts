import { queryClient, reading, useReading } from './query.ts';
import { sessionBegan, sessionEnded } from './renewal.ts';
import { ApiError, send, urlOf } from './request.ts';

/** Who is signed in, and whether nobody is. */
export function useMe() {
  const query = useReading('/me');
  const isSignedOut = query.error instanceof ApiError && query.error.status === 401;
  return { ...query, isSignedOut };
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
  await send(urlOf('/session'), { method: 'POST', ...init }, { isSignIn: true });
  sessionBegan();
  await queryClient.invalidateQueries({ queryKey: reading('/me').queryKey });
}

export async function signOut(): Promise<void> {
  await send(urlOf('/session'), { method: 'DELETE' }, { isSignIn: true });
  sessionEnded();
  queryClient.clear();
}
