import { Link } from '@tanstack/react-router';
import { shortId } from '../../text/names.ts';
import styles from './record.module.css';

/** The traces that a record names by its `otelLinkId`. */
export function RecordTraces({ projectId, traceIds }: { projectId: string; traceIds: string[] }) {
  return (
    <section className={styles.people} aria-label="Traces">
      <h2>{traceIds.length === 1 ? 'Trace' : 'Traces'}</h2>
      <ul className={styles.files}>
        {traceIds.map((traceId) => (
          <li key={traceId}>
            <Link to="/projects/$projectId/traces/$traceId" params={{ projectId, traceId }}>
              What happened: {shortId(traceId)}
            </Link>
          </li>
        ))}
      </ul>
    </section>
  );
}
