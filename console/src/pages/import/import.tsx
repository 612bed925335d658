import { useParams } from '@tanstack/react-router';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { DropHere, FileChoice } from '../../parts/files/file-choice.tsx';
import { type PickedFiles, pickedBy, useDrop } from '../../parts/files/picked-files.ts';
import { Page } from '../../parts/frame/page.tsx';
import { countOf, formatBytes, visible } from '../../text/format.ts';
import { takeBrought } from './brought-files.ts';
import styles from './import.module.css';
import { ImportPlan } from './import-plan.tsx';
import { Leaving } from './leaving.tsx';
import { ImportOutcome } from './outcome.tsx';
import { ProjectOutcome } from './project-outcome.tsx';
import { ProjectPlan } from './project-plan.tsx';
import { Sending } from './sending.tsx';
import { Unknown } from './unknown.tsx';
import { type Importing, useImport } from './use-import.ts';

/** Makes testsets, runs, records and scores of the files of another tool, in this project or another. */
export function Import() {
  const { projectId } = useParams({ strict: false });
  const [brought] = useState(takeBrought);
  const importing = useImport(brought);
  const { isBusy, look } = importing;
  const isOver = useDrop((picked) => {
    if (!isBusy) void look(picked, {});
  });
  return (
    <Page title="Import">
      <div className={styles.import}>
        <Step importing={importing} projectId={projectId} />
      </div>
      {isOver && !isBusy && <DropHere>Drop the files here to see what they are.</DropHere>}
      <Leaving isBusy={isBusy} />
    </Page>
  );
}

function Step({ importing, projectId }: { importing: Importing; projectId: string | undefined }) {
  const { state, picked, look, again } = importing;
  if (state.phase === 'sent') return <ImportOutcome report={state.report} again={again} />;
  if (state.phase === 'sent project')
    return <ProjectOutcome project={state.project} again={again} />;
  if (!picked) return <Choosing choose={(files) => void look(files, {})} />;
  const found = 'found' in state ? state.found : undefined;
  return (
    <>
      <div className={styles.file}>
        <p>
          <strong>{visible(picked.name)}</strong> · {sizeOf(picked)}
          {found?.kind === 'source' && ` · ${found.format.title}`}
        </p>
        {!importing.isBusy && (
          <Button kind="quiet" onClick={again}>
            Other files
          </Button>
        )}
      </div>
      {state.phase === 'looking' && (
        <div className={styles.progress}>
          <progress aria-label="Reading" />
          <p role="status">{state.bytes > 0 && `${formatBytes(state.bytes)} read`}</p>
          <Button onClick={again}>Stop</Button>
        </div>
      )}
      {state.phase === 'unreadable' && (
        <div role="alert" className={styles.problem}>
          <p>
            {visible(state.message)}
            {!state.found && ' Nothing was imported.'}
          </p>
        </div>
      )}
      {state.phase === 'sending' && <Sending state={state} stop={importing.stop} />}
      {found?.kind === 'unknown' && (
        <Unknown formats={found.formats} read={(format) => void look(picked, { format })} />
      )}
      {found?.kind === 'project' && (
        <ProjectPlan importing={importing} found={found} hidden={importing.isBusy} />
      )}
      {found?.kind === 'source' && (
        // It keeps its fields while the import is under way, for a repeat.
        <ImportPlan
          key={`${found.format.name} ${picked.name}`}
          importing={importing}
          found={found}
          projectId={projectId}
        />
      )}
    </>
  );
}

function sizeOf({ files }: PickedFiles): string {
  const size = formatBytes(files.reduce((sum, { file }) => sum + file.size, 0));
  return files.length === 1 ? size : `${countOf(files.length, 'file')}, ${size}`;
}

function Choosing({ choose }: { choose: (picked: PickedFiles) => void }) {
  const change = ({ target }: { target: HTMLInputElement }) => {
    const picked = pickedBy(target);
    if (picked) choose(picked);
  };
  return (
    <FileChoice title="Import what another tool wrote">
      <p>
        Drop a file, several, or a folder anywhere on this page, or choose them: results of
        promptfoo, logs of Inspect, exports of Langfuse, LangSmith, Phoenix, Braintrust and OpenAI
        Evals, outputs of lm-evaluation-harness and HELM, Parquet, tables and JSON, or a project
        that was exported here. You see what it is before anything is stored.
      </p>
      <label className={styles.pick}>
        Files
        <input type="file" multiple onChange={change} />
      </label>
      <label className={styles.pick}>
        A folder
        <input type="file" onChange={change} {...{ webkitdirectory: '' }} />
      </label>
    </FileChoice>
  );
}
