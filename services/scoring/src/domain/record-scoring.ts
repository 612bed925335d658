import type { Identity } from '@assay/contracts/define';
import type { JsonText } from '@assay/contracts/payload';
import type { Judgement } from '@assay/contracts/run-records';
import { judgedRecordsMax } from '@assay/contracts/scoring';
import type { Parts } from '../domain.ts';
import type { Cell } from './evaluation.ts';
import type { KnownVersions } from './known-versions.ts';
import { createTurns } from './turns.ts';

export interface Job {
  runId: string;
  recordIds: string[];
  attempt: number;
}

interface RecordToScore {
  id: string;
  inputs: JsonText;
  expected: JsonText;
  outputs: JsonText;
  pending: string[];
}

/** How long a job waits for its model's turn before it goes back into the queue. */
const turnWaitMs = 2000;
/** How often finished judgements are handed over while others are under way. */
const handOverEveryMs = 250;
/** After so many times without any, it is asked all the same whether the run was stopped. */
const emptyHandsMax = 8;
/** Code takes up to a second a record, so what is done is handed over in between. */
const codeCellsAtOnce = 50;
/** What was paid for is not lost when run-records is away for a while. */
const handOverTries = 7;

type RecordScoringParts = Pick<
  Parts,
  'store' | 'runRecords' | 'evaluate' | 'judge' | 'judges' | 'judgeConcurrency' | 'signal' | 'newId' | 'now'
> & {
  knownVersions: KnownVersions;
};

/** What is done with a scoring job: read what is still pending, judge it, hand the judgements over. Safe to run twice. */
export function createRecordScoring({
  store,
  runRecords,
  evaluate,
  judge,
  judges,
  judgeConcurrency,
  knownVersions,
  signal,
  newId,
  now,
}: RecordScoringParts) {
  // Twice what is asked at once, so that a model never waits for a job, and two for those that are at their end.
  const turns = createTurns({ each: Math.ceil((2 * judgeConcurrency) / judgedRecordsMax) + 2 });
  /** Cells that are being judged here: a job that comes twice asks, and pays, once. */
  const underWay = new Set<string>();

  /** The cells of what was read; those of a metric version that is gone get their failure. */
  async function cellsOf(identity: Identity, records: RecordToScore[], attempt: number): Promise<{ cells: Cell[]; gone: Judgement[] }> {
    const versions = await knownVersions(identity, [...new Set(records.flatMap(({ pending }) => pending))]);
    const cells: Cell[] = [];
    const gone: Judgement[] = [];
    for (const { id, pending, ...payloads } of records) {
      for (const versionId of pending) {
        const metric = versions.get(versionId);
        if (metric) cells.push({ recordId: id, metric, ...payloads });
        else gone.push(metricIsGone(id, versionId, attempt));
      }
    }
    return { cells, gone };
  }

  async function handOver(identity: Identity, runId: string, judgements: Judgement[]) {
    const run = await runRecords.acceptJudgements(identity, { runId, judgements });
    const at = now();
    const failed = judgements.flatMap(({ recordId, metricVersionId, outcome }) =>
      outcome.kind === 'failure'
        ? [{ id: newId(), runId, recordId, metricVersionId, code: outcome.code, message: outcome.message, at }]
        : [],
    );
    await store.keepFailed(identity.organizationId, failed);
    return run;
  }

  async function handOverPatiently(identity: Identity, runId: string, judgements: Judgement[]) {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await handOver(identity, runId, judgements);
      } catch (error) {
        if (attempt === handOverTries) throw error;
        await new Promise((resolve) => setTimeout(resolve, 250 * 2 ** attempt));
      }
    }
  }

  /**
   * Judges all cells, and hands over what is finished while the rest is under way. Stops asking when the run's scoring is stopped, and says
   * whether it was.
   */
  async function judgeAll(identity: Identity, { runId }: Job, cells: Cell[]): Promise<{ isStopped: boolean }> {
    // One for each cell: a signal takes few listeners.
    const asks = cells.map((cell) => ({ cell, stop: new AbortController() }));
    const finished: Judgement[] = [];
    let isStopped = false;
    let emptyHands = 0;
    let handing = Promise.resolve();
    const stopAsking = () => {
      isStopped = true;
      for (const { stop } of asks) stop.abort();
    };
    const hand = () => {
      handing = handing.then(async () => {
        emptyHands = finished.length === 0 ? emptyHands + 1 : 0;
        if (emptyHands % emptyHandsMax > 0) return;
        const { isPaused, isSpent } = await handOverPatiently(identity, runId, finished.splice(0));
        if (isPaused || isSpent) stopAsking();
      });
      // Heard below, where it is waited for.
      handing.catch(stopAsking);
    };
    const timer = setInterval(hand, handOverEveryMs);
    try {
      const judged = await Promise.allSettled(
        asks.map(async ({ cell, stop }) => finished.push(await judge({ ...cell, signal: stop.signal }))),
      );
      const fault = judged.find((outcome) => outcome.status === 'rejected');
      hand();
      await handing;
      if (fault && !isStopped) throw fault.reason;
      return { isStopped };
    } finally {
      clearInterval(timer);
    }
  }

  async function judgeOnce(identity: Identity, job: Job, cells: Cell[]): Promise<{ isStopped: boolean }> {
    const key = ({ recordId, metric }: Cell) => `${recordId}/${metric.metricVersionId}`;
    const own = cells.filter((cell) => !underWay.has(key(cell)));
    for (const cell of own) underWay.add(key(cell));
    try {
      return await judgeAll(identity, job, own);
    } finally {
      for (const cell of own) underWay.delete(key(cell));
    }
  }

  return {
    /** What built-in evaluators and code score. */
    async score(identity: Identity, { runId, recordIds, attempt }: Job): Promise<'done'> {
      let wanted = recordIds;
      while (wanted.length > 0) {
        const { records, remaining } = await runRecords.readForScoring(identity, { runId, recordIds: wanted, model: null });
        const { cells, gone } = await cellsOf(identity, records, attempt);
        const withCode = cells.filter(({ metric }) => metric.code);
        const quick = await evaluate(
          cells.filter(({ metric }) => !metric.code),
          attempt,
        );
        if (gone.length + quick.length > 0) await handOver(identity, runId, [...gone, ...quick]);
        for (let from = 0, isPaused = false; from < withCode.length && !isPaused; from += codeCellsAtOnce)
          ({ isPaused } = await handOver(identity, runId, await evaluate(withCode.slice(from, from + codeCellsAtOnce), attempt)));
        wanted = remaining;
      }
      return 'done';
    },

    /** What a model judges. A job whose model has no room goes back, so that it keeps no other model's waiting. */
    async judge(identity: Identity, job: Job & { model: string; retriedAt?: string }): Promise<'done' | 'put back'> {
      const { runId, recordIds, model, attempt, retriedAt } = job;
      // Before the turn: those that have one may be waiting for the provider themselves.
      if (retriedAt) judges.retry(model, new Date(retriedAt));
      const leave = await turns.enter(model, turnWaitMs);
      if (!leave) return 'put back';
      try {
        let wanted = recordIds;
        while (wanted.length > 0) {
          const { records, remaining } = await runRecords.readForScoring(identity, { runId, recordIds: wanted, model });
          const { cells, gone } = await cellsOf(identity, records, attempt);
          if (gone.length > 0) await handOver(identity, runId, gone);
          const { isStopped } = await judgeOnce(identity, job, cells);
          // Read again, so that run-records says what becomes of those that were left.
          if (!isStopped) wanted = remaining;
        }
        return 'done';
      } catch (error) {
        // What was cut off by the end of this process is for another.
        if (signal.aborted) return 'put back';
        throw error;
      } finally {
        leave();
      }
    },
  };
}

const metricIsGone = (recordId: string, metricVersionId: string, attempts: number): Judgement => ({
  recordId,
  metricVersionId,
  outcome: { kind: 'failure', code: 'code_error', message: 'The metric version is not there any more.', attempts },
});
