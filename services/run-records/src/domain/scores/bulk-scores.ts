import { bodyBytesDefault, type Identity, type StreamReply } from '@assay/contracts/define';
import { Failure, invalidAt, notFound } from '@assay/contracts/failure';
import { type ScoreLine, scoreLine } from '@assay/contracts/run-records';
import { createEntryParser } from '@assay/runtime/uploads/parse-entry';
import { answerEntries, type EntryAnswer } from '@assay/runtime/uploads/pipeline';
import { createLineSplitter } from '@assay/runtime/uploads/splitters';
import type { StoredRun } from '../../store/runs.ts';
import { type GivenScore, withGiven } from '../accounts/given-score.ts';
import { type ScoreStates, scoreStatesOf } from '../accounts/score-states.ts';
import type { Dependencies } from '../dependencies.ts';
import { createKeyedMutex } from '../records/keyed-mutex.ts';
import type { Runs } from '../runs/runs.ts';
import { givenScore } from './given-scores.ts';
import { roomFailure } from './score-bounds.ts';
import type { ScoredMetrics } from './scored-metrics.ts';

/** A line with the score that it gives. */
interface GivenLine extends GivenScore {
  recordId: string;
  /** The score ends the member's lease of the record in review. */
  endsLease: boolean;
}

/** Scores of one upload that are stored together, and bytes of it that are under way at once. */
const batchItemsMax = 250;
const keptBytesMax = 1024 * 1024;

const parseLine = createEntryParser<ScoreLine>(scoreLine);

/** Takes any number of scores of a run's records, each by the rules of a single PUT. */
export function createBulkScores({
  store,
  now,
  runs,
  scoredMetrics,
}: Pick<Dependencies, 'store' | 'now'> & { runs: Runs; scoredMetrics: ScoredMetrics }) {
  // Of all uploads: two that name the same records wait for each other. Their transactions would
  // conflict again and again, until one of them is given up.
  const inOrder = createKeyedMutex();

  async function read(
    identity: Identity,
    run: StoredRun,
    { recordId, metricConfigId, metricId, score, userId }: ScoreLine,
  ): Promise<GivenLine | Failure> {
    try {
      const metric =
        metricConfigId === undefined
          ? scoredMetrics.newestOf(run, metricId!)
          : await scoredMetrics.ofVersion(identity, run, metricConfigId);
      if (!metric) throw invalidAt('/metricId', 'is not a metric of the run');
      const giver = await scoredMetrics.giverOf(identity, userId);
      const given = givenScore(metric, { score, giver, createdAt: now() });
      return { recordId, ...given, endsLease: score !== undefined && metric.evalType === 'human' };
    } catch (error) {
      if (error instanceof Failure && error.status < 500) return error;
      throw error;
    }
  }

  /**
   * Stores the scores of some lines in one transaction, and answers each. Waits for the lines
   * before them that name the same records: it reads nothing earlier, as what is read for some
   * lines takes longer than for others.
   */
  async function keep(
    identity: Identity,
    runId: string,
    entries: (ScoreLine | Failure)[],
  ): Promise<EntryAnswer[]> {
    const recordIds = entries.flatMap((entry) =>
      entry instanceof Failure ? [] : [entry.recordId],
    );
    return inOrder([...new Set(recordIds)], () => keepNext(identity, runId, entries));
  }

  async function keepNext(
    identity: Identity,
    runId: string,
    entries: (ScoreLine | Failure)[],
  ): Promise<EntryAnswer[]> {
    const { organizationId } = identity;
    const run = await runs.runOf(identity, runId);
    const lines = await Promise.all(
      entries.map((entry) => (entry instanceof Failure ? entry : read(identity, run, entry))),
    );
    const byRecord = byRecordOf(lines);
    const answers = new Map<GivenLine, EntryAnswer>();

    /** Runs again when its transaction does, and then answers anew. */
    function changed(record: ScoreStates & { id: string }): ScoreStates | undefined {
      const before = scoreStatesOf(record);
      let states = before;
      for (const line of byRecord.get(record.id)!) {
        const after = withGiven(states, line, run.metrics);
        const failure = roomFailure(states, after);
        if (!failure) states = after;
        answers.set(line, failure ?? answerOf(line));
      }
      return states === before ? undefined : states;
    }

    const ids = [...byRecord.keys()];
    await store.records.changeScoreStates(organizationId, { run, ids, change: changed });
    const stored = [...answers].filter(([, answer]) => !(answer instanceof Failure));
    await release(
      organizationId,
      stored.map(([line]) => line),
    );
    return lines.map((line) =>
      line instanceof Failure ? line : (answers.get(line) ?? notFound('record', line.recordId)),
    );
  }

  /** Ends the leases of members who have given what they were asked for. */
  async function release(organizationId: string, stored: GivenLine[]): Promise<void> {
    const ending = stored.filter(({ endsLease }) => endsLease);
    if (ending.length === 0) return;
    const ids = [...new Set(ending.map(({ recordId }) => recordId))];
    const held = new Set(await store.leases.findHeld(organizationId, ids));
    for (const { recordId, score } of ending)
      if (held.has(recordId))
        await store.leases.release(organizationId, recordId, {
          userId: score.userId,
          metricVersionIds: [score.metricVersionId],
          now: score.createdAt,
        });
  }

  return {
    /**
     * Stores a score for each line, and streams a line for each: `200`, also where it replaces
     * another. Lines of one record are stored in their order.
     */
    async put(
      identity: Identity,
      runId: string,
      stream: AsyncIterable<Uint8Array>,
    ): Promise<StreamReply> {
      await runs.runOf(identity, runId);
      const answers = await answerEntries<ScoreLine>({
        stream,
        splitter: createLineSplitter(bodyBytesDefault),
        read: parseLine,
        keep: ({ entries }) => keep(identity, runId, entries),
        batchItemsMax,
        keptBytesMax,
      });
      return { contentType: 'application/x-ndjson', stream: answers };
    },
  };
}

function byRecordOf(lines: (GivenLine | Failure)[]): Map<string, GivenLine[]> {
  const byRecord = new Map<string, GivenLine[]>();
  for (const line of lines) {
    if (line instanceof Failure) continue;
    const known = byRecord.get(line.recordId);
    if (known) known.push(line);
    else byRecord.set(line.recordId, [line]);
  }
  return byRecord;
}

function answerOf({ score: { validationErrors } }: GivenLine): EntryAnswer {
  const answer = { status: 200, ...(validationErrors ? { validationErrors } : {}) };
  return answer;
}
