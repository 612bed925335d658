import { Outlet, useRouter } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useEffect, useState } from 'react';
import { useIsRenewing } from '../../api/renewal.ts';
import { useMe } from '../../api/session.ts';
import { Problem } from '../problem.tsx';
import { useShortcuts } from '../shortcuts.ts';
import { SignInAgain } from './sign-in-again.tsx';

/** Loaded when somebody asks for help. */
const ShortcutHelp = lazy(async () => ({
  default: (await import('./shortcut-help.tsx')).ShortcutHelp,
}));

interface SignedInParts {
  /** The page. */
  page: ReactNode;
  showHelp: () => void;
}

/** Shows a page to whoever is signed in, with help for its shortcuts; others sign in first. */
export function SignedIn({ children }: { children: (parts: SignedInParts) => ReactNode }) {
  const me = useMe();
  const [isHelpShown, showHelp] = useState(false);
  useShortcuts({ help: () => showHelp(true) });
  const isRenewing = useIsRenewing();
  useSignInPage(me.isSignedOut);
  if (me.isSignedOut) return null;
  const page = me.error ? (
    <main id="main">
      <Problem error={me.error} retry={() => void me.refetch()} />
    </main>
  ) : (
    <Outlet />
  );
  return (
    <>
      {children({ page, showHelp: () => showHelp(true) })}
      {isHelpShown && (
        <Suspense>
          <ShortcutHelp onClose={() => showHelp(false)} />
        </Suspense>
      )}
      {isRenewing && <SignInAgain name={me.data?.member.email ?? ''} />}
    </>
  );
}

/** A page that has the whole window to itself. */
export const FullScreen = () => <SignedIn>{({ page }) => page}</SignedIn>;

/** Leads whoever is signed out to the sign-in, and from there back to the page that was asked for. */
function useSignInPage(isSignedOut: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (!isSignedOut) return;
    const { href } = router.state.location;
    void router.navigate({ to: '/login', search: { to: href }, replace: true });
  }, [router, isSignedOut]);
}
