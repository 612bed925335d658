import { Link, useNavigate } from '@tanstack/react-router';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { useReading } from '../../api/query.ts';
import { usePageActions } from '../../parts/page-actions.ts';
import { Popover } from '../../parts/popover.tsx';
import { runName } from '../../text/names.ts';
import styles from './run.module.css';
import type { RunReply } from './use-live-run.ts';

/** Newer and older runs of the testset among which the one before this is looked for. */
const lookedAt = 100;

/** Leads to the comparison with the baseline, with the run before, or with one to be chosen. */
export function CompareMenu({
  projectId,
  run,
  baselineRunId,
}: {
  projectId: string;
  run: RunReply;
  baselineRunId: string | null | undefined;
}) {
  const [isOpened, setOpened] = useState(false);
  const runs = useReading('/projects/:projectId/runs', {
    params: { projectId },
    query: { limit: lookedAt, ...(run.testsetId === null ? {} : { testsetId: run.testsetId }) },
    isEnabled: isOpened && run.testsetId !== null,
  });
  const all = runs.data?.data ?? [];
  const before = all[all.findIndex(({ id }) => id === run.id) + 1];
  const navigate = useNavigate();
  const isComparable = baselineRunId && baselineRunId !== run.id;
  const go = (baseline: string | undefined) => () =>
    void navigate({
      to: '/projects/$projectId/compare',
      params: { projectId },
      search: { ...(baseline === undefined ? {} : { baseline }), candidate: [run.id] },
    });
  usePageActions([
    ...(isComparable ? [{ text: 'Compare with the baseline', run: go(baselineRunId) }] : []),
    { text: 'Compare with another run …', run: go(undefined) },
  ]);
  const compareWith = (baseline: string | undefined, text: string) => (
    <li key={text}>
      <Link
        to="/projects/$projectId/compare"
        params={{ projectId }}
        search={{ ...(baseline === undefined ? {} : { baseline }), candidate: [run.id] }}
      >
        {text}
      </Link>
    </li>
  );
  return (
    <Popover
      kind="main"
      label={
        <>
          Compare <ChevronDown aria-hidden size={14} />
        </>
      }
      onOpen={() => setOpened(true)}
    >
      <ul className={styles.menu}>
        {isComparable && compareWith(baselineRunId, 'With the baseline')}
        {before &&
          before.id !== baselineRunId &&
          compareWith(before.id, `With the run before: ${runName(before)}`)}
        {compareWith(undefined, 'With another run …')}
      </ul>
    </Popover>
  );
}
