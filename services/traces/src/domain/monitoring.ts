import { Failure } from '@assay/contracts/failure';
import { tracedBytesMax } from '@assay/contracts/run-records';
import { type MonitorCounts, noMonitorCounts } from '@assay/contracts/traces';
import { serviceIdentity } from '@assay/runtime/signature';
import type { ContentsPlace } from '@assay/span-reading/contents';
import type { AskedHead, StoredMonitor } from '../store.ts';
import type { Dependencies } from './dependencies.ts';
import { forEachGroup, grouped } from './grouped.ts';
import { isMatching, isSampled } from './sampling.ts';
import type { StoredSpans } from './stored-spans.ts';
import { bytesOf, recordOf, type TracedRecord } from './traced-record.ts';

/** Longer than a batch takes. A process that dies leaves its traces to another after it. */
const claimedMs = 60_000;
const askedMax = 500;
/** Records that are sent in one call. */
const recordsMax = 100;

type Outcome = Exclude<keyof MonitorCounts, 'seen' | 'matched' | 'sampled'>;
type Verdict = Outcome | 'not matched' | 'not sampled';

/** A trace that becomes a record. */
interface Sample {
  head: AskedHead;
  record: TracedRecord;
}

/**
 * Asks monitors about settled traces. The heads say which monitors are still to be asked, so that
 * any process may do it, or end in its middle: a trace has one record in the run of its day.
 */
export function createMonitoring({
  store,
  runRecords,
  newId,
  now,
  contentsOf,
  keep,
}: Pick<Dependencies, 'store' | 'runRecords' | 'newId' | 'now'> & StoredSpans) {
  /** The verdict on each trace, of those that one monitor is asked about. */
  async function ask(
    organizationId: string,
    monitor: StoredMonitor,
    heads: AskedHead[],
  ): Promise<Map<AskedHead, Verdict>> {
    const verdicts = new Map<AskedHead, Verdict>();
    const sampled: AskedHead[] = [];
    for (const head of heads) {
      if (!(await matches(monitor, head))) verdicts.set(head, 'not matched');
      else if (!isSampled(monitor, head)) verdicts.set(head, 'not sampled');
      else sampled.push(head);
    }
    const at = now();
    const { maxPerHour: max } = monitor;
    const places =
      max === null || sampled.length === 0
        ? sampled.length
        : await store.monitors.takePlaces(organizationId, monitor.id, {
            now: at,
            wanted: sampled.length,
            max,
          });
    for (const head of sampled.slice(places)) verdicts.set(head, 'overLimit');
    const samples: Sample[] = [];
    for (const head of sampled.slice(0, places)) {
      const place = monitor.select as ContentsPlace;
      const [contents] = await contentsOf(head, head.traceId, [place]);
      if (!contents || (contents.input === null && contents.output === null))
        verdicts.set(head, 'empty');
      else samples.push({ head, record: recordOf(head, contents) });
    }
    for (const [day, ofDay] of grouped(samples, ({ head }) => dayOf(head)))
      for (const batch of batchesOf(ofDay))
        for (const [index, outcome] of (
          await record(organizationId, monitor, day, batch)
        ).entries())
          verdicts.set(batch[index]!.head, outcome);
    const recorded = [...verdicts.values()].filter((verdict) => verdict === 'recorded').length;
    if (max !== null && places > recorded)
      await store.monitors.givePlacesBack(organizationId, monitor.id, {
        now: at,
        places: places - recorded,
      });
    return verdicts;
  }

  async function matches(monitor: StoredMonitor, head: AskedHead): Promise<boolean> {
    if (!isMatching(monitor, head)) return false;
    const { spanName } = monitor.filter;
    if (spanName == null) return true;
    const [found] = await contentsOf(head, head.traceId, [`span:${spanName}`]);
    return found !== undefined;
  }

  /**
   * Makes records in the run of the day, or in another one where somebody deleted it.
   * @throws (rejects with) SERVICE_UNAVAILABLE where the same may go well later.
   */
  async function record(
    organizationId: string,
    monitor: StoredMonitor,
    day: string,
    samples: Sample[],
  ): Promise<Outcome[]> {
    const runOfDay = () =>
      store.monitors.runOfDay(organizationId, monitor, { day, newRunId: newId() });
    const runId = await runOfDay();
    try {
      const outcomes = await recordIn(organizationId, monitor, { id: runId, day }, samples).catch(
        async (error) => {
          if (!(error instanceof Failure) || error.code !== 'NOT_FOUND') throw error;
          await store.monitors.forgetRun(organizationId, monitor.id, runId);
          return recordIn(organizationId, monitor, { id: await runOfDay(), day }, samples);
        },
      );
      if (monitor.problem !== null)
        await store.monitors.setProblem(organizationId, monitor.id, null);
      return outcomes;
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'SERVICE_UNAVAILABLE') throw error;
      await store.monitors.setProblem(organizationId, monitor.id, error.message);
      return samples.map(() => 'refused');
    }
  }

  async function recordIn(
    organizationId: string,
    monitor: StoredMonitor,
    { id, day }: { id: string; day: string },
    samples: Sample[],
  ): Promise<Outcome[]> {
    const { projectId, description, metricIds, budgetUsdPerDay: budgetUsd } = monitor;
    const identity = { ...serviceIdentity(organizationId), userId: monitor.createdByUserId };
    const name = `${description.slice(0, 240)} ${day}`;
    const run = { id, projectId, name, metricIds, budgetUsd };
    await runRecords.openMonitoredRun(identity, run);
    await keep(
      identity,
      samples.map(({ head }) => head.traceId),
    );
    const { records } = await runRecords.createTracedRecords(identity, {
      runId: id,
      records: samples.map(({ record }) => record),
    });
    return records.map(({ created }) => (created ? 'recorded' : 'repeated'));
  }

  /** Counts the verdicts on traces that this monitor still is to be asked about. */
  async function finish(
    organizationId: string,
    monitor: StoredMonitor,
    verdicts: Map<AskedHead, Verdict>,
  ): Promise<void> {
    await store.transaction(async () => {
      const traceIds = [...verdicts.keys()].map(({ traceId }) => traceId);
      const open = await store.askedTraces.stillOpen(organizationId, monitor.id, traceIds);
      const counts = new Map<string, MonitorCounts>();
      for (const [head, verdict] of verdicts) {
        if (!open.has(head.traceId)) continue;
        const day = dayOf(head);
        const sum = counts.get(day) ?? { ...noMonitorCounts };
        counts.set(day, sum);
        addVerdict(sum, verdict);
      }
      for (const [day, sum] of counts)
        await store.monitors.addCounts(organizationId, monitor, day, sum);
      await store.askedTraces.close(organizationId, monitor.id, traceIds);
    });
  }

  async function askAll(organizationId: string, heads: AskedHead[]): Promise<void> {
    const ids = [...new Set(heads.flatMap(({ monitorIds }) => monitorIds))];
    const monitors = new Map(
      (await store.monitors.findEach(organizationId, ids)).map((monitor) => [monitor.id, monitor]),
    );
    for (const id of ids) {
      const concerned = heads.filter(({ monitorIds }) => monitorIds.includes(id));
      const monitor = monitors.get(id);
      // A paused monitor is asked when it goes on, and one that was deleted never.
      if (monitor?.isPaused) continue;
      if (monitor)
        await finish(organizationId, monitor, await ask(organizationId, monitor, concerned));
      else
        await store.askedTraces.close(
          organizationId,
          id,
          concerned.map(({ traceId }) => traceId),
        );
    }
  }

  return {
    /** Asks monitors about traces; says whether there may be more of them. */
    async askDue(): Promise<boolean> {
      const claim = newId();
      const found = await store.askedTraces.take({ now: now(), claimedMs, claim, limit: askedMax });
      await forEachGroup(
        grouped(found, (head) => head.organizationId),
        askAll,
      );
      return found.length === askedMax;
    },
  };
}

/** The day on which a trace began, in UTC. */
const dayOf = ({ startedAt }: AskedHead): string =>
  new Date(startedAt).toISOString().slice(0, 'yyyy-mm-dd'.length);

function batchesOf(samples: Sample[]): Sample[][] {
  const batches: Sample[][] = [];
  let bytes = 0;
  for (const sample of samples) {
    const own = bytesOf(sample.record);
    const batch = batches.at(-1);
    if (batch && batch.length < recordsMax && bytes + own <= tracedBytesMax) {
      batch.push(sample);
      bytes += own;
    } else {
      batches.push([sample]);
      bytes = own;
    }
  }
  return batches;
}

function addVerdict(counts: MonitorCounts, verdict: Verdict): void {
  counts.seen += 1;
  if (verdict === 'not matched') return;
  counts.matched += 1;
  if (verdict === 'not sampled') return;
  counts.sampled += 1;
  counts[verdict] += 1;
}
