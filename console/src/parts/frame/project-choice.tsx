import { useNavigate } from '@tanstack/react-router';
import { useReading } from '../../api/query.ts';
import styles from './project-choice.module.css';

/** Which project one is in, and the way to another. */
export function ProjectChoice({ projectId }: { projectId: string }) {
  const project = useReading('/projects/:projectId', { params: { projectId } });
  const all = useReading('/projects', { query: { limit: 100 } });
  const navigate = useNavigate();
  const named = all.data?.data ?? [];
  const isListed = named.some(({ id }) => id === projectId);
  return (
    <select
      aria-label="Project"
      className={styles.choice}
      value={projectId}
      onChange={({ target }) =>
        void (target.value
          ? navigate({ to: '/projects/$projectId', params: { projectId: target.value } })
          : navigate({ to: '/projects' }))
      }
    >
      {!isListed && <option value={projectId}>{project.data?.name ?? '…'}</option>}
      {named.map(({ id, name }) => (
        <option key={id} value={id}>
          {name}
        </option>
      ))}
      <option value="">All projects …</option>
    </select>
  );
}
