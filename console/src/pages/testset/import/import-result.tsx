import { useEffect, useState } from 'react';
import type { FileFormat } from '../../../files/format.ts';
import { Button, ButtonLink } from '../../../parts/button.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { ScrolledTable } from '../../../parts/scrolled-table.tsx';
import { countOf, formatCount, visible } from '../../../text/format.ts';
import type { Testset } from '../fields.ts';
import styles from '../testset.module.css';
import type { Changes, Findings } from './findings.ts';
import type { Importing } from './use-import.ts';

/** The findings of a check, and then of the import. */
export function ImportResult({
  testset,
  file,
  format,
  importing,
}: {
  testset: Testset;
  file: File;
  format: FileFormat;
  importing: Importing;
}) {
  const { state, isBusy, isUpsert, isSync } = importing;
  const { phase, findings, bytesRead } = state;
  const [choice, setChoice] = useState<boolean>(false);
  const withInvalid = isSync || (state.withInvalid ?? choice);
  const { valid, invalid, broken, changes } = findings;
  const importable = valid + (withInvalid ? invalid : 0);
  return (
    <div className={styles.import}>
      <h2>
        {
          {
            planning: '',
            checking: 'Checking …',
            checked: 'Checked',
            importing: 'Importing …',
            imported: 'Imported',
          }[phase]
        }
      </h2>
      {isBusy && (
        <div className={styles.progress}>
          <progress max={file.size} value={bytesRead} aria-label="Of the file" />
          <Button onClick={importing.stop}>Stop</Button>
        </div>
      )}
      {isBusy && state.isAway && (
        <p role="status">The server is away. It is asked again, and nothing is imported twice.</p>
      )}
      {phase === 'imported' ? (
        <p role="status">
          <strong>
            {isUpsert
              ? inWords(changes, isSync)
              : `${countOf(valid + invalid, 'testcase')} imported`}
          </strong>{' '}
          {isUpsert ? 'in' : 'into'} {visible(testset.name)}.
        </p>
      ) : (
        <p role={isBusy ? undefined : 'status'}>
          {formatCount(valid)} valid, {formatCount(invalid)} invalid, {formatCount(broken)}{' '}
          unreadable
        </p>
      )}
      {phase === 'checked' && isUpsert && <p>Testcases: {inWords(changes, isSync)}.</p>}
      {phase === 'checked' && isSync && broken > 0 && (
        <p role="alert" className={styles.problem}>
          Rows that cannot be read would be missing in the testset: correct them first.
        </p>
      )}
      {state.error && <Problem error={state.error} />}
      {phase === 'checked' && (
        <>
          <Problems findings={findings} />
          {invalid > 0 && !isSync && (
            <label className={styles.check}>
              <input
                type="checkbox"
                checked={withInvalid}
                disabled={state.withInvalid !== undefined}
                onChange={({ target }) => setChoice(target.checked)}
              />
              Import the invalid ones, too
            </label>
          )}
        </>
      )}
      {(phase === 'checked' || phase === 'imported') && (
        <ToCorrect importing={importing} file={file} format={format} withInvalid={withInvalid} />
      )}
      <div className={styles.foot}>
        {phase === 'checked' && (
          <>
            <Button
              kind="main"
              disabled={importable === 0 || (isSync && broken > 0)}
              onClick={() => void importing.start({ withInvalid })}
            >
              {state.withInvalid === undefined
                ? `Import ${countOf(importable, 'testcase')}${isSync && changes.deleted > 0 ? ` and delete ${formatCount(changes.deleted)}` : ''}`
                : 'Continue the import'}
            </Button>
            {state.withInvalid === undefined && (
              <Button onClick={importing.backToPlan}>Back to the columns</Button>
            )}
          </>
        )}
        {phase === 'imported' && (
          <ButtonLink kind="main" to="." search={{}}>
            Show the testcases
          </ButtonLink>
        )}
      </div>
    </div>
  );
}

const inWords = ({ created, updated, unchanged, deleted }: Changes, isSync: boolean): string =>
  [
    `${formatCount(created)} new`,
    `${formatCount(updated)} changed`,
    `${formatCount(unchanged)} unchanged`,
    ...(isSync ? [`${formatCount(deleted)} deleted`] : []),
  ].join(', ');

function Problems({ findings: { problems, invalid, broken } }: { findings: Findings }) {
  if (problems.length === 0) return null;
  const others = invalid + broken - problems.length;
  return (
    <ScrolledTable
      label="Rows to correct"
      foot={others > 0 && <p>And {formatCount(others)} others, which are in the file below.</p>}
    >
      <thead>
        <tr>
          <th>Row</th>
          <th>Problem</th>
        </tr>
      </thead>
      <tbody>
        {problems.map(({ number, problem }) => (
          <tr key={number}>
            <td>{formatCount(number)}</td>
            <td>{visible(problem)}</td>
          </tr>
        ))}
      </tbody>
    </ScrolledTable>
  );
}

/** The rows that are left, as a file. */
function ToCorrect({
  importing,
  file,
  format,
  withInvalid,
}: {
  importing: Importing;
  file: File;
  format: FileFormat;
  withInvalid: boolean;
}) {
  const { corrections, checked } = importing.state;
  const count = checked ? checked.broken + (withInvalid ? 0 : checked.invalid) : 0;
  const [url, setUrl] = useState<string>();
  useEffect(() => {
    if (!corrections || count === 0) return;
    const made = URL.createObjectURL(
      corrections.file(withInvalid ? ['broken'] : ['invalid', 'broken']),
    );
    setUrl(made);
    return () => URL.revokeObjectURL(made);
  }, [corrections, count, withInvalid]);
  if (count === 0 || url === undefined) return null;
  const ending = format.kind === 'table' ? (/\.\w+$/.exec(file.name)?.[0] ?? '.csv') : '.jsonl';
  return (
    <p>
      <a href={url} download={`${file.name.replace(/\.\w+$/, '')}-to-correct${ending}`}>
        Download {countOf(count, 'row')} to correct
      </a>
      : each says in its first column what is wrong. Correct them there, and drop the file here.
    </p>
  );
}
