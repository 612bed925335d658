import { setTimeout as pause } from 'node:timers/promises';
import type { Client } from '@assay/client/client';
import type { ReplyOf } from '@assay/client/operations';

/** A run, of which the accounts say how far it has come. */
export type RunProgress = Pick<
  ReplyOf<'GET', '/runs/:runId'>,
  'numRecords' | 'numExpectedRecords' | 'scoring'
>;

const pollMs = 250;
const standstillMaxMs = 120_000;

/**
 * Asks for the runs' accounts until every record is there and no score is pending. `executed`
 * settles when all records are sent; a failure of it ends the wait. So does a minute or two in
 * which nothing moves.
 */
export async function awaitScores({
  client,
  runIds,
  executed,
  onProgress,
}: {
  client: Client;
  runIds: string[];
  executed: Promise<void>;
  onProgress: (runs: RunProgress[]) => void;
}): Promise<void> {
  let isExecuted = false;
  const watch = async () => {
    let [last, movedAt] = ['', performance.now()];
    for (;;) {
      const wasExecuted = isExecuted;
      const runs = await Promise.all(
        runIds.map((id) => client.request('GET', '/runs/:runId', { params: { runId: id } })),
      );
      onProgress(runs);
      if (wasExecuted && runs.every(isScored)) return;
      const accounts = JSON.stringify(runs);
      if (accounts !== last) [last, movedAt] = [accounts, performance.now()];
      if (performance.now() - movedAt > standstillMaxMs)
        throw new Error('No score has come in for two minutes: the service log says why.');
      await pause(pollMs);
    }
  };
  const done = executed.then(() => {
    isExecuted = true;
  });
  await Promise.all([done, watch()]);
}

const isScored = ({ numRecords, numExpectedRecords, scoring }: RunProgress): boolean =>
  numRecords >= (numExpectedRecords ?? 0) && scoring.pending === 0;
