import { Snippet } from '../../parts/copy.tsx';
import styles from './traces.module.css';

/** Says how spans name their project, where traces came into this one because they named none. */
export const Guessed = ({ projectId, subject }: { projectId: string; subject: string }) => (
  <details className={styles.banner}>
    <summary>
      <strong>! {subject} named no project of your organization</strong>, and so came into its
      oldest one. How to name it
    </summary>
    <p>
      Name the project by the attribute <code>assay.project_id</code>, where the system is started.
      If it is this one:
    </p>
    <Snippet code={`export OTEL_RESOURCE_ATTRIBUTES="assay.project_id=${projectId}"`} />
  </details>
);
