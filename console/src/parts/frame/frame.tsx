import { Link, Outlet, useNavigate, useParams, useRouter } from '@tanstack/react-router';
import { useEffect, useState } from 'react';
import { useIsRenewing } from '../../api/renewal.ts';
import { useMe } from '../../api/session.ts';
import { Problem } from '../problem.tsx';
import { useShortcuts } from '../shortcuts.ts';
import { Account } from './account.tsx';
import styles from './frame.module.css';
import { ProjectChoice } from './project-choice.tsx';
import { ShortcutHelp } from './shortcut-help.tsx';
import { SignInAgain } from './sign-in-again.tsx';

/** The sections of a project, in the order of the menu, with the shortcut that leads there. */
const sections = [
  { to: '/projects/$projectId', text: 'Overview', shortcut: 'overview' },
  { to: '/projects/$projectId/runs', text: 'Runs', shortcut: 'runs' },
  { to: '/projects/$projectId/metrics', text: 'Metrics', shortcut: 'metrics' },
  { to: '/projects/$projectId/systems', text: 'Systems', shortcut: 'systems' },
] as const;

/** What stands around every page but the sign-in: who one is, where one is, where one can go. */
export function Frame() {
  const me = useMe();
  const { projectId } = useParams({ strict: false });
  const [isHelpShown, showHelp] = useState(false);
  const navigate = useNavigate();
  const go = (to: (typeof sections)[number]['to']) =>
    projectId ? () => void navigate({ to, params: { projectId } }) : undefined;
  useShortcuts({
    help: () => showHelp(true),
    ...Object.fromEntries(
      sections.flatMap(({ to, shortcut }) => (go(to) ? [[shortcut, go(to)!]] : [])),
    ),
  });
  const isRenewing = useIsRenewing();
  useSignInPage(me.isSignedOut);
  if (me.isSignedOut) return null;
  return (
    <div className={styles.frame}>
      <a href="#main" className={styles.skip}>
        Skip to the content
      </a>
      <header className={styles.side}>
        <Link to="/projects" className={styles.brand}>
          Assay
        </Link>
        {projectId && <ProjectChoice projectId={projectId} />}
        <nav aria-label="Project" className={styles.sections} hidden={!projectId}>
          {sections.map(({ to, text }) => (
            <Link
              key={to}
              to={to}
              params={{ projectId: projectId ?? '' }}
              activeOptions={{ exact: to === '/projects/$projectId', includeSearch: false }}
              className={styles.section}
            >
              {text}
            </Link>
          ))}
        </nav>
        <Account showHelp={() => showHelp(true)} />
      </header>
      {me.error ? (
        <main id="main">
          <Problem error={me.error} retry={() => void me.refetch()} />
        </main>
      ) : (
        <Outlet />
      )}
      {isHelpShown && <ShortcutHelp onClose={() => showHelp(false)} />}
      {isRenewing && <SignInAgain name={me.data?.member.email ?? ''} />}
    </div>
  );
}

/** Leads whoever is signed out to the sign-in, and from there back to the page that was asked for. */
function useSignInPage(isSignedOut: boolean): void {
  const router = useRouter();
  useEffect(() => {
    if (!isSignedOut) return;
    const { href } = router.state.location;
    void router.navigate({ to: '/login', search: { to: href }, replace: true });
  }, [router, isSignedOut]);
}
