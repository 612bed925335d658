import { useState } from 'react';
import { refresh } from '../../api/query.ts';
import { request } from '../../api/request.ts';
import { countOf, visible } from '../../text/format.ts';
import { runName } from '../../text/names.ts';
import type { Draft } from './draft.ts';
import styles from './metric.module.css';
import type { Sample } from './use-sample.ts';

/**
 * The run that a new metric was begun for, if any. Where it has no metric yet, it is scored by this one
 * once that is created, unless one says otherwise.
 */
export function useScoredRun({
  isNew,
  draft,
  runId,
  sample,
}: {
  isNew: boolean;
  draft: Draft;
  runId: string | undefined;
  sample: Sample;
}) {
  const [chosen, setWanted] = useState<boolean>();
  const isPossible = isNew && !(draft.scorer === 'judge' && draft.subject === 'pair');
  const isThere = sample.run?.id === runId && (sample.run?.numRecords ?? 0) > 0;
  const run = isPossible && isThere ? sample.run : undefined;
  // A run with metrics may be here as a sample alone.
  const isWanted = chosen ?? run?.metricIds.length === 0;
  return {
    run,
    isWanted,
    setWanted,
    /** Has the run scored. Returns its id, or undefined where that is not wanted. */
    score: async (metricId: string): Promise<string | undefined> => {
      if (!run || !isWanted) return undefined;
      await request('POST', '/runs/:runId/rescore', {
        params: { runId: run.id },
        body: { metricIds: [metricId] },
      });
      await refresh(['/runs/:runId', '/runs/:runId/summary', '/projects/:projectId/runs']);
      return run.id;
    },
  };
}

export type ScoredRun = ReturnType<typeof useScoredRun>;

/** Says that the run is scored, and takes it back. */
export function ScoreRun({ run, isWanted, setWanted }: ScoredRun) {
  if (!run) return null;
  return (
    <label className={`${styles.flag} ${styles.scoredRun}`}>
      <input
        type="checkbox"
        checked={isWanted}
        onChange={({ target }) => setWanted(target.checked)}
      />
      <span>
        Score the run {visible(runName(run))} by it: {countOf(run.numRecords, 'record')}
      </span>
    </label>
  );
}
