import { Link, useNavigate, useParams } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useShortcuts } from '../shortcuts.ts';
import { Account } from './account.tsx';
import styles from './frame.module.css';
import { ProjectChoice } from './project-choice.tsx';
import { sections } from './sections.ts';
import { SignedIn } from './signed-in.tsx';

/** Loaded when it is opened: most visits do without it. */
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

/** The pages of the organization, for the palette. */
const settingsPages = ['organization', 'members', 'keys', 'judges'].map((section) => ({
  text: `Settings: ${section}`,
  target: { to: '/settings/$section' as const, params: { section } },
}));

/** The menu beside a page: who one is, where one is, where one can go. */
export function Frame() {
  const { projectId } = useParams({ strict: false });
  const navigate = useNavigate();
  const go = (to: (typeof sections)[number]['to']) =>
    projectId ? () => void navigate({ to, params: { projectId } }) : undefined;
  const [isPaletteShown, showPalette] = useState(false);
  useShortcuts({
    ...(projectId ? { palette: () => showPalette(true) } : {}),
    ...Object.fromEntries(
      sections.flatMap(({ to, shortcut }) => (go(to) ? [[shortcut, go(to)!]] : [])),
    ),
  });
  return (
    <SignedIn>
      {({ page, showHelp }) => (
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
            <Account showHelp={showHelp} />
          </header>
          {page}
          {isPaletteShown && projectId && (
            <Suspense>
              <Palette
                projectId={projectId}
                pages={[
                  ...sections.map(({ to, text }) => ({
                    text,
                    target: { to, params: { projectId } },
                  })),
                  ...settingsPages,
                ]}
                onClose={() => showPalette(false)}
              />
            </Suspense>
          )}
        </div>
      )}
    </SignedIn>
  );
}
