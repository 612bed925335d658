import type { ItemOf } from '@assay/client/operations';
import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import { DropHere } from '../../parts/files/file-choice.tsx';
import { useDrop } from '../../parts/files/picked-files.ts';
import { Problem } from '../../parts/problem.tsx';
import { countOf, visible } from '../../text/format.ts';
import { Leaving } from '../import/leaving.tsx';
import { AnswerChoice } from './answer-choice.tsx';
import { CheckTable } from './check-table.tsx';
import { ColumnChoice, type RunNames } from './column-choice.tsx';
import { answersIn } from './match-answers.ts';
import styles from './new-run.module.css';
import { StoringState } from './storing-state.tsx';
import { type Answers, useAnswers } from './use-answers.ts';
import { useStoring } from './use-storing.ts';

interface FromAnswersProps {
  projectId: string;
  testset: ItemOf<'/projects/:projectId/testsets'>;
  metricIds: string[];
  /** The data of the testcases that are answered; all of the testset where it is left out. */
  where: string | undefined;
}

/** Makes a run of each column of answers that was pasted or uploaded, once their testcases are found. */
export function FromAnswers({ projectId, testset, metricIds, where }: FromAnswersProps) {
  const answers = useAnswers(testset, where);
  const storing = useStoring();
  const { file, testcases } = answers;
  const { phase } = storing.state;
  const isOver = useDrop(({ files }) => {
    if (phase === 'planning') void answers.read(files[0]!.file);
  });
  if (phase !== 'planning')
    return (
      <>
        <StoringState projectId={projectId} storing={storing} />
        <Leaving isBusy={phase === 'storing'} title="Leave the new run?">
          The rest of the answers is not stored. What is stored stays.
        </Leaving>
      </>
    );
  return (
    <>
      {file ? (
        <div className={styles.foot}>
          <strong>{visible(file.name)}</strong> {countOf(file.rows.length, 'row')}
          <Button kind="quiet" onClick={answers.forget}>
            Other answers
          </Button>
        </div>
      ) : (
        <AnswerChoice choose={(chosen) => void answers.read(chosen)} />
      )}
      {answers.problem !== undefined && (
        <p role="alert" className={styles.problem}>
          {visible(answers.problem)}
        </p>
      )}
      {testcases.error && (
        <Problem error={testcases.error} retry={() => void testcases.refetch()} />
      )}
      {file && testcases.isPending && <p role="status">Reading the testcases …</p>}
      {file && answers.matching && (
        <Checked
          key={file.name}
          projectId={projectId}
          testsetId={testset.id}
          metricIds={metricIds}
          where={where}
          answers={answers}
          storing={storing}
        />
      )}
      {isOver && <DropHere>Drop the file with the answers here.</DropHere>}
    </>
  );
}

/** The rows with their testcases, the columns that become runs, and the button that makes them. */
function Checked({
  projectId,
  testsetId,
  metricIds,
  where,
  answers,
  storing,
}: {
  projectId: string;
  testsetId: string;
  metricIds: string[];
  where: string | undefined;
  answers: Answers;
  storing: ReturnType<typeof useStoring>;
}) {
  const [names, setNames] = useState<RunNames>({});
  const matching = answers.matching!;
  const { possible, suggested } = answers.columns!;
  const nameOf = (column: string) =>
    Object.hasOwn(names, column) ? names[column] : suggested.includes(column) ? column : undefined;
  const chosen = possible.filter((column) => nameOf(column) !== undefined);
  const runs = chosen.flatMap((column) => {
    const answered = answersIn(matching.matched, column);
    const name = nameOf(column)!.trim();
    return answered.length > 0 ? [{ column, name, answers: answered }] : [];
  });
  const fault =
    matching.matched.length === 0
      ? where === undefined
        ? 'No row has a testcase of this testset.'
        : 'No row has one of these testcases.'
      : runs.length === 0
        ? 'No column of answers is chosen.'
        : runs.some(({ name }) => name === '')
          ? 'A run has no name.'
          : undefined;
  const testcases = answers.testcases.data!.length;
  return (
    <>
      <CheckTable matching={matching} testcases={testcases} columns={chosen} />
      <ColumnChoice columns={possible} nameOf={nameOf} names={names} setNames={setNames} />
      <div className={styles.foot}>
        <Button
          kind="main"
          disabled={fault !== undefined}
          onClick={() => storing.store(runs, { projectId, testsetId, testcases, metricIds, where })}
        >
          {runs.length > 1 ? `Create ${runs.length} runs` : 'Create the run'}
        </Button>
        <p role="status">{fault}</p>
      </div>
    </>
  );
}
