import { useEffect, useRef, useState } from 'react';
import { publicPath } from '../../api/public-path.ts';
import { refresh } from '../../api/query.ts';
import type { PickedFiles } from '../../parts/files/picked-files.ts';
import type {
  FoundImport,
  Reading,
  Results,
  Target,
  TaskFailure,
  WorkerMessage,
} from './messages.ts';
import { perform, TaskError } from './task.ts';

/** How far an import is. */
export type ImportState =
  | { phase: 'choosing' }
  | { phase: 'looking'; bytes: number }
  | { phase: 'looked'; found: FoundImport }
  /** Nothing was sent. */
  | { phase: 'unreadable'; message: string; found?: FoundImport }
  | { phase: 'sending'; found: FoundImport; done: number; stored: number; isAway: boolean }
  /** Something may be stored: the import can be repeated. */
  | { phase: 'broken'; found: FoundImport; failure: TaskFailure | 'stopped'; stored: number }
  | { phase: 'sent'; report: Results['send'] }
  | { phase: 'sent project'; project: Results['send project'] };

/** The decisions of a person about an import. */
export interface Plan {
  reading: Reading;
  names: Record<string, string>;
  target: Target;
  /** The metrics of runs that bring no scores. */
  metricIds: string[];
}

const url = `${location.origin}${publicPath}/v2`;

/** The lists that an import may have changed. */
const changed = [
  '/projects',
  '/projects/:projectId/testsets',
  '/projects/:projectId/metrics',
  '/projects/:projectId/systems',
  '/projects/:projectId/runs',
  '/testsets/:testsetId/testcases',
  '/runs/:runId/records',
] as const;

/** Looks at files, and imports them; both can be stopped. */
export function useImport(chosen: PickedFiles | undefined) {
  const [picked, setPicked] = useState(chosen);
  const [reading, setReading] = useState<Reading>({});
  const [state, setState] = useState<ImportState>({ phase: 'choosing' });
  const abort = useRef<AbortController>(undefined);
  // biome-ignore lint/correctness/useExhaustiveDependencies: once, for the files that were brought along.
  useEffect(() => {
    if (chosen) void look(chosen, {});
    return () => abort.current?.abort();
  }, []);

  /** Ends the task under way, and returns the signal of the next one. */
  function begin(): AbortSignal {
    abort.current?.abort();
    abort.current = new AbortController();
    return abort.current.signal;
  }

  async function look(files: PickedFiles, reading: Reading): Promise<void> {
    const signal = begin();
    setReading(reading);
    setPicked(files);
    setState({ phase: 'looking', bytes: 0 });
    const told = (said: WorkerMessage) =>
      said.kind === 'read' && setState({ phase: 'looking', bytes: said.bytes });
    try {
      const found = await perform({ kind: 'look', ...files, reading }, { signal, told });
      setState({ phase: 'looked', found });
    } catch (error) {
      if (!signal.aborted) setState({ phase: 'unreadable', message: (error as Error).message });
    }
  }

  /** Performs an import, and follows its messages. */
  async function send(
    found: FoundImport,
    work: (signal: AbortSignal, told: (said: WorkerMessage) => void) => Promise<ImportState>,
  ) {
    const signal = begin();
    setState({ phase: 'sending', found, done: 0, stored: 0, isAway: false });
    const testcases = found.kind === 'source' ? found.overview.counts.testcase : 0;
    const told = (said: WorkerMessage) =>
      setState((now) => {
        if (now.phase !== 'sending') return now;
        if (said.kind === 'waiting') return { ...now, isAway: true };
        if (said.kind !== 'sent') return now;
        const { progress } = said;
        if (progress.kind === 'testcases') return { ...now, isAway: false, done: progress.count };
        const { count, stored } = progress;
        return { ...now, isAway: false, done: testcases + count, stored };
      });
    try {
      setState(await work(signal, told));
    } catch (error) {
      if (signal.aborted && abort.current?.signal !== signal) return;
      const failure: TaskFailure | 'stopped' = signal.aborted
        ? 'stopped'
        : error instanceof TaskError
          ? error
          : { kind: 'refused', message: (error as Error).message };
      setState((now) =>
        failure !== 'stopped' && failure.kind === 'file'
          ? { phase: 'unreadable', message: failure.message, found }
          : {
              phase: 'broken',
              found,
              failure,
              stored: now.phase === 'sending' ? now.stored : 0,
            },
      );
    } finally {
      await refresh([...changed]);
    }
  }

  return {
    picked,
    /** How the files were read. */
    reading,
    state,
    isBusy: state.phase === 'sending',
    look,
    import: (found: FoundImport, plan: Plan) =>
      send(found, async (signal, told) => ({
        phase: 'sent',
        report: await perform({ kind: 'send', ...picked!, ...plan, url }, { signal, told }),
      })),
    importProject: (found: FoundImport, name: string | undefined) =>
      send(found, async (signal, told) => ({
        phase: 'sent project',
        project: await perform(
          { kind: 'send project', file: picked!.files[0]!.file, name, url },
          { signal, told },
        ),
      })),
    stop: () => abort.current?.abort(),
    again: () => {
      begin();
      setPicked(undefined);
      setState({ phase: 'choosing' });
    },
  };
}

export type Importing = ReturnType<typeof useImport>;
