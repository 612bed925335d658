import { Link } from '@tanstack/react-router';
import { ChevronsUpDown, Folder } from 'lucide-react';
import { useState } from 'react';
import { useReading } from '../../api/query.ts';
import { useMe } from '../../api/session.ts';
import { Popover } from '../popover.tsx';
import type { FrameProject } from './frame-project.ts';
import styles from './project-choice.module.css';

/** As many projects are offered; the page of projects has all. */
const offeredMax = 100;

/** Which project and organization one is in, and the way to another project. */
export function ProjectChoice({ project: { id, name } }: { project: FrameProject }) {
  const organization = useMe().data?.organization.name ?? '';
  return (
    <Popover
      label={
        <>
          <Folder aria-hidden size={16} strokeWidth={1.75} />
          <span className={styles.names}>
            <span className={styles.name}>{name}</span>{' '}
            <span className={styles.organization}>{organization}</span>
          </span>
          <ChevronsUpDown aria-hidden size={14} />
        </>
      }
      title={`Project: ${name} ${organization}`}
      className={styles.choice}
    >
      <Projects projectId={id} />
    </Popover>
  );
}

function Projects({ projectId }: { projectId: string | undefined }) {
  const all = useReading('/projects', { query: { limit: offeredMax } });
  const [wanted, setWanted] = useState('');
  const lower = wanted.trim().toLowerCase();
  const found = (all.data?.data ?? []).filter(({ name }) => name.toLowerCase().includes(lower));
  return (
    <div className={styles.projects}>
      <input
        type="search"
        data-focus-first
        aria-label="Find a project"
        placeholder="Find a project"
        value={wanted}
        onChange={({ target }) => setWanted(target.value)}
      />
      <ul>
        {found.map(({ id, name }) => (
          <li key={id}>
            <Link
              to="/projects/$projectId"
              params={{ projectId: id }}
              className={styles.project}
              activeProps={{}}
              aria-current={id === projectId ? 'true' : undefined}
            >
              {name}
            </Link>
          </li>
        ))}
      </ul>
      {all.data && found.length === 0 && <p role="status">No project of this name here.</p>}
      <Link to="/projects" className={styles.all}>
        All projects
      </Link>
    </div>
  );
}
