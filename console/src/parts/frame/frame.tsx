import { Link, useLocation, useNavigate, useParams } from '@tanstack/react-router';
import { Menu, PanelLeft } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Button } from '../button.tsx';
import { useShortcuts } from '../shortcuts.ts';
import { Account } from './account.tsx';
import styles from './frame.module.css';
import { type FrameProject, useFrameProject } from './frame-project.ts';
import { HeldDeletions } from './held-deletions.tsx';
import { isMenuNarrow, narrowMenu } from './menu-width.ts';
import { Navigation } from './navigation.tsx';
import { NotFound } from './not-found.tsx';
import { ProjectChoice } from './project-choice.tsx';
import { sections } from './sections.ts';
import { SignedIn } from './signed-in.tsx';
import { useTypedAhead } from './typed-ahead.ts';

/** Loaded when it is opened: most visits do without it. */
const Palette = lazy(async () => ({ default: (await import('./palette.tsx')).Palette }));

/** The menu beside a page: who one is, where one is, where one can go. */
export const Frame = () => (
  <SignedIn>{({ page, showHelp }) => <FrameOf page={page} showHelp={showHelp} />}</SignedIn>
);

function FrameOf({ page, showHelp }: { page: ReactNode; showHelp: () => void }) {
  const { projectId } = useParams({ strict: false });
  const project = useFrameProject(projectId);
  const [isPaletteShown, showPalette] = useState(false);
  const [isNarrow, setNarrow] = useState(isMenuNarrow);
  useSectionShortcuts(project);
  const typedAhead = useTypedAhead();
  useShortcuts({
    palette: () => {
      typedAhead.begin();
      showPalette(true);
    },
  });
  const toggleWidth = () => {
    narrowMenu(!isNarrow);
    setNarrow(!isNarrow);
  };
  return (
    <div className={styles.frame} data-menu={isNarrow ? 'narrow' : 'wide'}>
      <a href="#main" className={styles.skip}>
        Skip to the content
      </a>
      <header className={styles.side}>
        <div className={styles.top}>
          <Link to="/projects" className={styles.brand} aria-label="Assay">
            <span>Assay</span>
          </Link>
          <Button
            kind="quiet"
            className={styles.width}
            aria-label="Names of the sections"
            aria-pressed={!isNarrow}
            onClick={toggleWidth}
          >
            <PanelLeft aria-hidden size={16} strokeWidth={1.75} />
          </Button>
        </div>
        <ProjectChoice project={project} />
        <Sections project={project} />
        <Account showHelp={showHelp} />
      </header>
      {project.isMissing ? <NotFound /> : page}
      <HeldDeletions />
      {isPaletteShown && (
        <Suspense>
          <Palette
            projectId={project.id}
            takeTyped={typedAhead.end}
            onClose={() => showPalette(false)}
          />
        </Suspense>
      )}
    </div>
  );
}

/** The sections; on a telephone they are behind a button, until one is chosen. */
function Sections({ project }: { project: FrameProject }) {
  const { pathname } = useLocation();
  const [openAt, setOpenAt] = useState<string>();
  const isOpen = openAt === pathname;
  return (
    <>
      <Button
        className={styles.menu}
        aria-label="Menu"
        aria-expanded={isOpen}
        aria-controls="sections"
        onClick={() => setOpenAt(isOpen ? undefined : pathname)}
      >
        <Menu aria-hidden size={18} />
      </Button>
      <div id="sections" className={styles.sections} data-open={isOpen || undefined}>
        <Navigation projectId={project.id} />
      </div>
    </>
  );
}

function useSectionShortcuts({ id }: FrameProject): void {
  const navigate = useNavigate();
  useShortcuts(
    Object.fromEntries(
      id === undefined
        ? []
        : sections.map(({ to, shortcut }) => [
            shortcut,
            () => void navigate({ to, params: { projectId: id } }),
          ]),
    ),
  );
}
