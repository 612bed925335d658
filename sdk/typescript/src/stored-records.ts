import { type Client, orUndefined } from '@assay/client/client';
import type { Run } from './waiting.ts';

/** The records that a run to resume has already, by their names in the run. */
export interface StoredRecords {
  /** Whether the call of this name need not be made. */
  isDone(clientId: string): boolean;
  /** Removes the failed record that a new one replaces. True where there was one. */
  makeRoom(clientId: string): Promise<boolean>;
}

/** Reads the names of a run's records; with `retryErrors`, those with an error are made again. */
export async function readStoredRecords({
  client,
  run,
  retryErrors,
}: {
  client: Client;
  run: Run | undefined;
  retryErrors: boolean;
}): Promise<StoredRecords> {
  const done = new Set<string>();
  const failed = new Map<string, string>();
  const records = run
    ? client.list('/runs/:runId/records', { params: { runId: run.id }, query: { preview: '0' } })
    : [];
  for await (const { id, clientId, error } of records) {
    if (!clientId) continue;
    if (retryErrors && error) failed.set(clientId, id);
    else done.add(clientId);
  }
  return {
    isDone: (clientId) => done.has(clientId),
    async makeRoom(clientId) {
      const recordId = failed.get(clientId);
      if (recordId === undefined) return false;
      failed.delete(clientId);
      // Somebody else may have deleted it.
      await orUndefined(client.request('DELETE', '/records/:recordId', { params: { recordId } }));
      return true;
    },
  };
}
