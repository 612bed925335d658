import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { publicPath } from '../../api/public-path.ts';
import { type Me, signedInAs, signIn, signInOnce } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { usePageTitle } from '../../parts/frame/page-title.ts';
import { SignInForm } from '../../parts/frame/sign-in-form.tsx';
import { Problem } from '../../parts/problem.tsx';
import { visible } from '../../text/format.ts';
import styles from './login.module.css';

const route = getRouteApi('/login');

/** The token of a sign-in link, which stands in the fragment so that no server's log has it. */
const tokenIn = (hash: string): string | undefined =>
  new URLSearchParams(hash.replace(/^#/, '')).get('once') ?? undefined;

/**
 * The token of the link that led here. Another link that is opened on this page changes nothing but
 * the fragment.
 */
function useLinkToken(): string | undefined {
  const [token, setToken] = useState(() => tokenIn(location.hash));
  useEffect(() => {
    const read = () => {
      const found = tokenIn(location.hash);
      if (!found) return;
      history.replaceState(history.state, '', location.pathname + location.search);
      setToken(found);
    };
    read();
    window.addEventListener('hashchange', read);
    return () => window.removeEventListener('hashchange', read);
  }, []);
  return token;
}

/** Sign-in by a link that works once, or by an API key. */
export function Login() {
  const { to } = route.useSearch();
  const router = useRouter();
  const token = useLinkToken();
  const [error, setError] = useState<Error | null>(null);
  const [present, setPresent] = useState<Me>();
  const enter = () => router.history.replace(`${publicPath}${pathWithin(to) ?? '/projects'}`);
  const spend = (spent: string) => {
    setPresent(undefined);
    once(spent).then(enter, setError);
  };
  // biome-ignore lint/correctness/useExhaustiveDependencies: A link is used once.
  useEffect(() => {
    if (!token) return;
    setError(null);
    signedInAs().then((me) => (me ? setPresent(me) : spend(token)), setError);
  }, [token]);
  usePageTitle('Sign in');
  return (
    <main id="main" className={styles.login}>
      <h1>Sign in to Assay</h1>
      {token && present ? (
        <Change present={present} stay={enter} change={() => spend(token)} />
      ) : token && !error ? (
        <p role="status">Signing in …</p>
      ) : (
        <>
          {error && <Problem error={error} />}
          <SignInForm signIn={(key) => signIn(key).then(enter)} />
          <p className={styles.hint}>
            On your own machine, the terminal in which Assay runs shows a link that signs in.
            Elsewhere an admin of your organization makes one (<em>Settings</em>, <em>Members</em>),
            or the operator with <code>npm run admin -- login-link &lt;e-mail&gt;</code>.
          </p>
        </>
      )}
    </main>
  );
}

/** Asks before a link replaces a session: its maker could have the person work as somebody else. */
function Change({
  present: { member, organization },
  stay,
  change,
}: {
  present: Me;
  stay: () => void;
  change: () => void;
}) {
  return (
    <>
      <p>
        You are signed in as {visible(member.name ?? member.email)} of {visible(organization.name)}.
        This link signs you in anew, perhaps as somebody else. Continue only if you asked for it.
      </p>
      <div className={styles.choice}>
        <Button kind="main" onClick={stay}>
          Stay signed in
        </Button>
        <Button onClick={change}>Sign in by the link</Button>
      </div>
    </>
  );
}

const spending = new Map<string, Promise<void>>();

/** Spends a token once, however often the component is mounted. */
function once(token: string): Promise<void> {
  const spent = spending.get(token) ?? signInOnce(token);
  spending.set(token, spent);
  return spent;
}

/** A path below the public one; one that leads elsewhere is refused. */
function pathWithin(to: string | undefined): string | undefined {
  if (!to) return undefined;
  const url = new URL(to, location.origin);
  return url.origin === location.origin ? url.pathname + url.search : undefined;
}
