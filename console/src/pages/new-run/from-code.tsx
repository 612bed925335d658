import { useNavigate } from '@tanstack/react-router';
import { useChange } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import styles from './new-run.module.css';
import { partOf } from './part-of.ts';

/** Makes an empty run: its page has the lines that fill it, and shows each record as it comes. */
export function FromCode({
  projectId,
  testsetId,
  metricIds,
  where,
}: {
  projectId: string;
  testsetId: string;
  metricIds: string[];
  /** The data of the testcases that the run is over; all of the testset where it is left out. */
  where: string | undefined;
}) {
  const navigate = useNavigate();
  const create = useChange('POST', '/projects/:projectId/runs', {
    refreshes: ['/projects/:projectId/runs'],
  });
  return (
    <>
      <p className={styles.text}>
        Your program is given each testcase, and its answers are scored as they come. The page of
        the run has the five lines for it, with the ids of this run: in Python, in TypeScript, and
        for the command line.
      </p>
      {create.error && <Problem error={create.error} />}
      <div className={styles.foot}>
        <Button
          kind="main"
          isBusy={create.isPending}
          onClick={() =>
            create.mutate(
              { params: { projectId }, body: { testsetId, metricIds, ...partOf(where) } },
              {
                onSuccess: ({ id }) =>
                  void navigate({
                    to: '/projects/$projectId/runs/$runId',
                    params: { projectId, runId: id },
                  }),
              },
            )
          }
        >
          Create the run
        </Button>
      </div>
    </>
  );
}
