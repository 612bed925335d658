import type { ItemOf } from '@assay/client/operations';
import { Choice, Field } from '../../parts/field.tsx';
import { visible } from '../../text/format.ts';

/** Stands for a project that the import makes. */
export const newProject = 'new';

/** The project that takes an import, or the name of a new one. */
export function ImportTarget({
  projectId,
  projects,
  target,
  setTarget,
  projectName,
  setProjectName,
}: {
  /** The project that is open. */
  projectId: string | undefined;
  projects: ItemOf<'/projects'>[];
  /** The id of a project, or `newProject`. */
  target: string;
  setTarget: (target: string) => void;
  projectName: string;
  setProjectName: (name: string) => void;
}) {
  return (
    <>
      <Choice
        label="Import into"
        value={target}
        onChange={(event) => setTarget(event.target.value)}
      >
        <option value={newProject}>A new project</option>
        {projectId && !projects.some(({ id }) => id === projectId) && (
          <option value={projectId}>This project</option>
        )}
        {projects.map(({ id, name }) => (
          <option key={id} value={id}>
            {visible(name)}
          </option>
        ))}
      </Choice>
      {target === newProject && (
        <Field
          label="Its name"
          value={projectName}
          maxLength={256}
          onChange={(event) => setProjectName(event.target.value)}
        />
      )}
    </>
  );
}
