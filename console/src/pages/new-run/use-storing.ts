import { useEffect, useRef, useState } from 'react';
import { refresh } from '../../api/query.ts';
import { newKey } from '../../api/testcases.ts';
import {
  type PlannedRun,
  type StoredRun,
  type StoringOptions,
  storeRuns,
} from './store-answers.ts';

/** How far the storing of answers is. The runs are those of the first try. */
export interface StoringProgress {
  phase: 'planning' | 'storing' | 'broken' | 'stored';
  runs: StoredRun[];
  error?: Error;
}

type Where = Pick<StoringOptions, 'projectId' | 'testsetId' | 'testcases' | 'metricIds' | 'where'>;

/** Stores answers as runs. After a failure the next try stores the rest. */
export function useStoring() {
  const [state, setState] = useState<StoringProgress>({ phase: 'planning', runs: [] });
  const begun = useRef<{ runs: StoredRun[]; where: Where; key: string }>(undefined);
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);

  async function attempt(): Promise<void> {
    const { runs, where, key } = begun.current!;
    abort.current = new AbortController();
    const { signal } = abort.current;
    const show = (part: Pick<StoringProgress, 'phase' | 'error'>) =>
      setState({ ...part, runs: runs.map((run) => ({ ...run })) });
    show({ phase: 'storing' });
    try {
      await storeRuns(runs, {
        ...where,
        key,
        signal,
        onProgress: () => show({ phase: 'storing' }),
      });
      show({ phase: 'stored' });
    } catch (error) {
      show({ phase: 'broken', ...(signal.aborted ? {} : { error: error as Error }) });
    } finally {
      await refresh(['/projects/:projectId/runs', '/runs/:runId', '/runs/:runId/records']);
    }
  }

  return {
    state,
    store: (planned: PlannedRun[], where: Where) => {
      const runs = planned.map((run) => ({ ...run, answered: 0, refused: 0 }));
      begun.current = { runs, where, key: newKey() };
      void attempt();
    },
    again: () => void attempt(),
    stop: () => abort.current?.abort(),
  };
}

export type Storing = ReturnType<typeof useStoring>;
