import type { ItemOf } from '@assay/client/operations';
import { Link } from '@tanstack/react-router';
import { useReading } from '../../../api/query.ts';
import { Problem } from '../../../parts/problem.tsx';
import { ScrolledTable } from '../../../parts/scrolled-table.tsx';
import { visible } from '../../../text/format.ts';
import { inShort } from '../../../text/json.ts';
import { runName } from '../../../text/names.ts';
import styles from '../testset.module.css';

type ComparedTestcase = ItemOf<'/comparisons/testcases'>;
export type ComparedRun = ComparedTestcase['runs'][number];
type Run = ItemOf<'/projects/:projectId/runs'>;

/** Testcases that are shown at most, and characters of each. */
const shownMax = 20;
const previewCharacters = 160;

/** Testcases that did something in some runs, the newest first, with the outcome of each run. */
export function RanTestcases({
  projectId,
  metricId,
  title,
  none,
  order,
  runs,
  isShown,
}: {
  projectId: string;
  metricId: string;
  title: string;
  /** Says that there are none. */
  none: string;
  order: 'failures' | 'disagreement';
  runs: Run[];
  isShown: (runs: ComparedRun[]) => boolean;
}) {
  const [newest, ...others] = runs;
  const isEnabled = newest !== undefined && others.length > 0;
  const reading = useReading('/comparisons/testcases', {
    query: {
      baselineRunId: newest?.id ?? '',
      candidateRunIds: others.map(({ id }) => id),
      metricId,
      order,
      limit: shownMax,
      preview: previewCharacters,
    },
    isEnabled,
  });
  const shown = (reading.data?.data ?? []).filter((testcase) => isShown(testcase.runs));
  return (
    <div className={styles.ran}>
      <h2>{title}</h2>
      {reading.error && <Problem error={reading.error} retry={() => void reading.refetch()} />}
      {(!isEnabled || (reading.data && shown.length === 0)) && <p>{none}</p>}
      {shown.length > 0 && (
        <ScrolledTable label={title}>
          <thead>
            <tr>
              <th scope="col">Testcase</th>
              <th scope="col">Fails</th>
              <th scope="col">Runs, newest first</th>
            </tr>
          </thead>
          <tbody>
            {shown.map((testcase) => (
              <tr key={testcase.testcaseId}>
                <th scope="row">{questionOf(testcase)}</th>
                <td className={styles.failures}>{failuresOf(testcase)}</td>
                <td>
                  <span className={styles.marks}>
                    {testcase.runs.map((run, place) => (
                      <Mark
                        key={runs[place]!.id}
                        projectId={projectId}
                        run={run}
                        name={runName(runs[place]!)}
                      />
                    ))}
                  </span>
                </td>
              </tr>
            ))}
          </tbody>
        </ScrolledTable>
      )}
    </div>
  );
}

function questionOf({ runs }: ComparedTestcase): string {
  const record = runs.find(({ record }) => record)?.record;
  return record ? visible(inShort(record.inputs)) : '–';
}

function failuresOf({ runs }: ComparedTestcase): string {
  const known = runs.filter(({ passes }) => passes !== null);
  return `${known.filter(({ passes }) => !passes).length} of ${known.length}`;
}

/** The outcome of one run, which leads to its record. */
function Mark({
  projectId,
  run: { record, passes },
  name,
}: {
  projectId: string;
  run: ComparedRun;
  name: string;
}) {
  if (!record || passes === null) return <span title={visible(name)}>–</span>;
  return (
    <Link
      to="/projects/$projectId/records/$recordId"
      params={{ projectId, recordId: record.id }}
      className={passes ? styles.passed : styles.failed}
      title={visible(name)}
    >
      {passes ? '✓ pass' : '✗ fail'}
      <span className="for-screen-readers"> in {visible(name)}</span>
    </Link>
  );
}
