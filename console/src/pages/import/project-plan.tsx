import { Button } from '../../parts/button.tsx';
import { Field } from '../../parts/field.tsx';
import { Broken } from './broken.tsx';
import styles from './import.module.css';
import type { FoundImport } from './messages.ts';
import type { Importing } from './use-import.ts';

/** An exported project: it becomes a new one, whole or not at all. */
export function ProjectPlan({
  importing,
  found,
  hidden,
}: {
  importing: Importing;
  found: FoundImport;
  hidden: boolean;
}) {
  return (
    <form
      className={styles.import}
      hidden={hidden}
      onSubmit={(event) => {
        event.preventDefault();
        const name = `${new FormData(event.currentTarget).get('name')}`.trim();
        void importing.importProject(found, name || undefined);
      }}
    >
      <p>
        <strong>A project of Assay.</strong> It becomes a new project here, with all it has, or
        nothing is stored.
      </p>
      <Field label="Name" name="name" maxLength={256} hint="Left empty, it keeps its own." />
      <Broken state={importing.state} isWhole />
      <div className={styles.foot}>
        <Button kind="main" type="submit">
          Import
        </Button>
      </div>
    </form>
  );
}
