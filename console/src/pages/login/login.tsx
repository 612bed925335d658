import { getRouteApi, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { publicPath } from '../../api/request.ts';
import { signIn, signInOnce } from '../../api/session.ts';
import { SignInForm } from '../../parts/frame/sign-in-form.tsx';
import { Problem } from '../../parts/problem.tsx';
import styles from './login.module.css';

const route = getRouteApi('/login');

/** The token of a sign-in link, which stands in the fragment so that no server's log has it. */
const tokenIn = (hash: string): string | undefined =>
  new URLSearchParams(hash.replace(/^#/, '')).get('once') ?? undefined;

/** Sign-in by a link that works once, or by an API key. */
export function Login() {
  const { to } = route.useSearch();
  const router = useRouter();
  const [token] = useState(() => tokenIn(location.hash));
  const [error, setError] = useState<Error | null>(null);
  const enter = () => router.history.replace(`${publicPath}${pathWithin(to) ?? '/projects'}`);
  // biome-ignore lint/correctness/useExhaustiveDependencies: A link is used once.
  useEffect(() => {
    if (!token) return;
    history.replaceState(history.state, '', location.pathname + location.search);
    once(token).then(enter, setError);
  }, []);
  return (
    <main id="main" className={styles.login}>
      <h1>Sign in to Assay</h1>
      {token && !error ? (
        <p role="status">Signing in …</p>
      ) : (
        <>
          {error && <Problem error={error} />}
          <SignInForm signIn={(key) => signIn(key).then(enter)} />
          <p className={styles.hint}>
            On your own machine, the terminal in which Assay runs shows a link that signs in. An
            operator makes one with <code>npm run admin -- login-link &lt;e-mail&gt;</code>.
          </p>
        </>
      )}
    </main>
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
