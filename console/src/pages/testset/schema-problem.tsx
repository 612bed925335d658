import { ApiError } from '../../api/request.ts';
import { Problem } from '../../parts/problem.tsx';
import { visible } from '../../text/format.ts';
import styles from './testset.module.css';

/** Says where in the schema the service found a fault. */
export function SchemaProblem({ error }: { error: Error }) {
  const issues = error instanceof ApiError ? (error.details.issues ?? []) : [];
  if (issues.length === 0) return <Problem error={error} />;
  return (
    <ul role="alert" className={styles.issues}>
      {issues.map(({ path, message }) => (
        <li key={`${path} ${message}`}>
          <code>{visible(path)}</code> {visible(message)}
        </li>
      ))}
    </ul>
  );
}
