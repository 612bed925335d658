import { publicPath } from './public-path.ts';

/** The header that carries the second secret of a session, both ways. */
const consoleHeader = 'x-assay-console';

/** The value of the header where there is no session yet. */
const noSecret = '1';

const place = `assay console ${publicPath}`;
let remembered = '';

/**
 * Keeps the second secret of a new session. Browsers send the cookie to every port of this host. They
 * show stored texts to pages of one origin alone, whose tabs share them.
 */
export function keepConsoleSecret({ headers }: Response): void {
  remembered = headers.get(consoleHeader) ?? '';
  try {
    localStorage.setItem(place, remembered);
  } catch {
    // The browser stores nothing: the session lasts as long as this page.
  }
}

/** Forgets the secret of a session that is over. */
export function forgetConsoleSecret(): void {
  remembered = '';
  try {
    localStorage.removeItem(place);
  } catch {
    // Nothing was stored.
  }
}

/** The header with the session's second secret, which each request sends. */
export const sessionHeaders = (): Record<string, string> => ({ [consoleHeader]: storedSecret() });

/** The header of a request that begins a session. */
export const signInHeaders: Record<string, string> = { [consoleHeader]: noSecret };

/** Whether a session was begun in this browser and not signed out. It may have run out since. */
export const hasSession = (): boolean => storedSecret() !== noSecret;

function storedSecret(): string {
  try {
    // Somebody may have signed in anew in another tab.
    return localStorage.getItem(place) || remembered || noSecret;
  } catch {
    return remembered || noSecret;
  }
}
