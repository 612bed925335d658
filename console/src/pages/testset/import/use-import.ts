import type { ImportMode } from '@assay/contracts/testcases';
import { useNavigate } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { queryClient, reading, refresh } from '../../../api/query.ts';
import { request } from '../../../api/request.ts';
import { newKey, syncEntries } from '../../../api/testcases.ts';
import type { FileFormat } from '../../../files/format.ts';
import { noFields, type Testset } from '../fields.ts';
import {
  addOutcomes,
  type Corrections,
  createBody,
  createCorrections,
  type Findings,
  nothingFound,
} from './findings.ts';
import {
  type ColumnPlan,
  dataWriter,
  definitionOf,
  hasKeys,
  keyReader,
  newFields,
} from './plan.ts';
import { type Transfer, transfer } from './transfer.ts';

/** How far an import is. */
export interface ImportState {
  phase: 'planning' | 'checking' | 'checked' | 'importing' | 'imported';
  findings: Findings;
  /** Of the file, in the phase under way. */
  bytesRead: number;
  /** The findings of the check, and the entries to correct as a file. */
  checked?: Findings;
  corrections?: Corrections;
  /** All entries that were checked, for a sync. */
  body?: Blob;
  /** Whether entries that break the schema are imported, once it has begun. */
  withInvalid?: boolean;
  /** The service is away, and is asked again after a while. */
  isAway?: boolean;
  error?: Error;
}

const begun: ImportState = { phase: 'planning', findings: nothingFound(), bytesRead: 0 };

interface ImportOptions {
  projectId: string;
  testset: Testset;
  file: File;
  format: FileFormat;
  plan: ColumnPlan[];
  mode: ImportMode;
}

/** Checks a file against the testset, and then imports it; both can be ended. */
export function useImport({ projectId, testset, file, format, plan, mode }: ImportOptions) {
  const [state, setState] = useState(begun);
  const abort = useRef<AbortController>(undefined);
  const key = useRef('');
  const navigate = useNavigate();
  const isTable = format.kind === 'table';
  const keyOf = hasKeys(plan) ? keyReader(plan, { isTable }) : undefined;
  const isUpsert = mode !== 'create' && keyOf !== undefined;
  const isSync = mode === 'sync' && isUpsert;
  const onAway = () => setState((before) => ({ ...before, isAway: true }));
  const isBusy = state.phase === 'checking' || state.phase === 'importing';
  useEffect(() => () => abort.current?.abort(), []);
  useEffect(() => {
    if (!isBusy) return;
    const ask = (event: BeforeUnloadEvent) => event.preventDefault();
    window.addEventListener('beforeunload', ask);
    return () => window.removeEventListener('beforeunload', ask);
  }, [isBusy]);

  /** Runs one pass over the file. */
  async function pass(
    options: Pick<Transfer, 'testsetId' | 'write' | 'key' | 'isLeftOut'>,
    corrections: Corrections,
  ): Promise<void> {
    const { signal } = abort.current!;
    let findings = nothingFound();
    await transfer({
      file,
      format,
      signal,
      keyOf,
      isUpsert,
      ...options,
      onProgress: ({ outcomes, bytesRead, header }) => {
        findings = addOutcomes(findings, outcomes);
        corrections.add(outcomes, header);
        setState((before) => ({ ...before, findings, bytesRead, isAway: false }));
      },
      onAway,
    });
  }

  /** Runs a sync in one request, or counts what it would do. */
  async function sync(body: Blob, target: { id: string; isDryRun: boolean }): Promise<void> {
    const { signal } = abort.current!;
    const { id, isDryRun } = target;
    const changes = await syncEntries(id, body, { isDryRun, signal, onAway });
    setState((before) => ({
      ...before,
      findings: { ...before.findings, changes },
      bytesRead: file.size,
      isAway: false,
    }));
  }

  /** The testset that takes the entries: this one with the new fields, or a new one. */
  async function prepare(newName: string | undefined): Promise<Testset> {
    if (newName === undefined) {
      if (newFields(plan, testset).length === 0) return testset;
      const changed = await request('PATCH', '/testsets/:testsetId', {
        params: { testsetId: testset.id },
        body: definitionOf(plan, testset),
      });
      await refresh(['/testsets/:testsetId', '/testsets/:testsetId/testcases']);
      return changed;
    }
    const created = await request('POST', '/projects/:projectId/testsets', {
      params: { projectId },
      body: { name: newName, description: '', ...definitionOf(plan, noFields) },
    });
    const params = { testsetId: created.id };
    queryClient.setQueryData(reading('/testsets/:testsetId', { params }).queryKey, created);
    await refresh(['/projects/:projectId/testsets']);
    await navigate({
      to: '/projects/$projectId/testsets/$testsetId',
      params: { projectId, ...params },
      search: { tab: 'import' },
    });
    return created;
  }

  function writerOf(definition: Testset): Transfer['write'] {
    const write = dataWriter(plan, { definition, isTable });
    if (!keyOf) return write;
    return (entry) => {
      const key = keyOf(entry);
      return `{"jsonData":${write(entry)}${key === undefined ? '' : `,"key":${JSON.stringify(key)}`}}`;
    };
  }

  /** Does the work of a phase; an error is shown, and leads back to where it began. */
  async function during(
    phase: 'checking' | 'importing',
    {
      done,
      undone,
      run,
    }: Record<'done' | 'undone', ImportState['phase']> & { run: () => Promise<void> },
  ): Promise<void> {
    const { error: _error, ...before } = state;
    abort.current = new AbortController();
    setState({ ...before, phase, findings: nothingFound(), bytesRead: 0, isAway: false });
    try {
      await run();
      setState((now) => ({ ...now, phase: done }));
    } catch (error) {
      const isStopped = abort.current.signal.aborted;
      setState((now) => ({
        ...now,
        ...(undone === before.phase ? { findings: before.findings } : {}),
        phase: undone,
        ...(isStopped ? {} : { error: error as Error }),
      }));
    }
  }

  return {
    state,
    isBusy,
    isUpsert,
    isSync,
    /** Checks the whole file, in a new testset where a name for one is given. */
    check: (newName: string | undefined) =>
      during('checking', {
        done: 'checked',
        undone: 'planning',
        run: async () => {
          key.current = newKey();
          const corrections = createCorrections(format);
          const target = await prepare(newName);
          const body = createBody();
          const writeEntry = writerOf(target);
          const write: Transfer['write'] = (entry) => {
            const line = writeEntry(entry);
            if (isSync) body.add(line);
            return line;
          };
          await pass({ testsetId: target.id, write }, corrections);
          if (isSync) await sync(body.blob(), { id: target.id, isDryRun: true });
          setState((now) => ({ ...now, checked: now.findings, corrections, body: body.blob() }));
        },
      }),
    /** Stores the entries that were checked. A repeat stores nothing twice. */
    start: ({ withInvalid }: { withInvalid: boolean }) => {
      const { invalidNumbers } = state.findings;
      return during('importing', {
        done: 'imported',
        undone: 'checked',
        run: async () => {
          setState((now) => ({ ...now, withInvalid }));
          if (isSync) await sync(state.body!, { id: testset.id, isDryRun: false });
          else
            await pass(
              {
                testsetId: testset.id,
                write: writerOf(testset),
                key: key.current,
                isLeftOut: ({ number }) => !withInvalid && invalidNumbers.has(number),
              },
              createCorrections(format),
            );
          await refresh(['/testsets/:testsetId/testcases']);
        },
      });
    },
    stop: () => abort.current?.abort(),
    backToPlan: () => setState(begun),
  };
}

export type Importing = ReturnType<typeof useImport>;
