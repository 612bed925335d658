import {
  Link,
  Navigate,
  Outlet,
  useNavigate,
  useParams,
  useRouterState,
} from '@tanstack/react-router';
import { useState } from 'react';
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
  { to: '/projects/$projectId/systems', text: 'Systems', shortcut: 'systems' },
] as const;

/** What stands around every page but the sign-in: who one is, where one is, where one can go. */
export function Frame() {
  const me = useMe();
  const { projectId } = useParams({ strict: false });
  const href = useRouterState({ select: ({ location }) => location.href });
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
  if (me.isSignedOut) return <Navigate to="/login" search={{ to: href }} replace />;
  return (
    <div className={styles.frame}>
      <a href="#main" className={styles.skip}>
        Skip to the content
      </a>
      <div className={styles.side}>
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
      </div>
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
