import type { Identity } from '@assay/contracts/define';
import type { RunOutline } from '@assay/contracts/run-records';
import type { Dependencies } from './dependencies.ts';

/** Finds a run of the caller's organization. */
export async function findRun(
  { readRuns }: Pick<Dependencies['runRecords'], 'readRuns'>,
  identity: Identity,
  runId: string,
): Promise<RunOutline | undefined> {
  const { runs } = await readRuns(identity, { runIds: [runId] });
  return runs[0];
}
