import type { ImportedProject } from '@assay/import/sending/project';
import { Button, ButtonLink } from '../../parts/button.tsx';
import { countOf, formatBytes, formatCount, visible } from '../../text/format.ts';
import styles from './import.module.css';

/** An exported project that was imported. */
export function ProjectOutcome({
  project: { projectId, counts, members, attachments },
  again,
}: {
  project: ImportedProject;
  again: () => void;
}) {
  const { run = 0, record = 0, testcase = 0, monitor = 0 } = counts;
  const { none = 0, imported = 0 } = members;
  const { attached, different, missing, missingAttachments } = attachments;
  return (
    <>
      <h2>Imported</h2>
      <p role="status">
        <strong>
          {countOf(run, 'run')}, {countOf(record, 'record')}, {countOf(testcase, 'testcase')}
        </strong>{' '}
        in a new project.
      </p>
      {none > 0 && (
        <p>
          {countOf(none, 'member')} of the file {none === 1 ? 'is' : 'are'} not in your
          organization: their scores stay, under an id that is nobody's.
        </p>
      )}
      {imported > 0 && (
        <p>
          {countOf(imported, 'member')} of the file became{' '}
          {imported === 1 ? 'a person of their own' : 'people of their own'}: only a file that this
          server exported for your organization says who gave a score.
        </p>
      )}
      {monitor > 0 && (
        <p>
          {countOf(monitor, 'monitor')} came with it, paused: nothing is scored until you resume{' '}
          {monitor === 1 ? 'it' : 'them'}.
        </p>
      )}
      {attached > 0 && <p>{countOf(attached, 'attachment')} came with it.</p>}
      {different > 0 && (
        <p>
          {different === 1
            ? '1 attachment is another file here, which stays as it is.'
            : `${formatCount(different)} attachments are other files here, which stay as they are.`}
        </p>
      )}
      {missing > 0 && (
        <details className={styles.losses}>
          <summary>
            The bytes of {countOf(missing, 'attachment')} are neither in the file nor here: export
            with <code>--attachments</code> to carry them.
          </summary>
          <ul>
            {missingAttachments.map(({ sessionId, filePath, sizeBytes }) => (
              <li key={`${sessionId} ${filePath}`}>
                {visible(filePath)} of the session {visible(sessionId)}, {formatBytes(sizeBytes)}
              </li>
            ))}
            {missing > missingAttachments.length && (
              <li>And {formatCount(missing - missingAttachments.length)} others.</li>
            )}
          </ul>
        </details>
      )}
      <div className={styles.foot}>
        <ButtonLink kind="main" to="/projects/$projectId" params={{ projectId }}>
          Show the project
        </ButtonLink>
        <Button onClick={again}>Import other files</Button>
      </div>
    </>
  );
}
