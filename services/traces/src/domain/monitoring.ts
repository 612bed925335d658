import { Failure } from '@assay/contracts/failure';
import { type MonitorCounts, noMonitorCounts } from '@assay/contracts/traces';
import { createFairSemaphore } from '@assay/runtime/concurrency/fair-semaphore';
import { serviceIdentity } from '@assay/runtime/signature';
import { hasContent } from '@assay/span-reading/content';
import type { Contents, ContentsPlace } from '@assay/span-reading/contents';
import type { AskedHead, OpenTrace, StoredMonitor } from '../store.ts';
import type { Dependencies } from './dependencies.ts';
import { forEachGroup, grouped } from './grouped.ts';
import { batchesOf, type Sample } from './record-batches.ts';
import { isMatching, isSampled, spanConditionOf } from './sampling.ts';
import type { StoredSpans } from './stored-spans.ts';
import { recordOf } from './traced-record.ts';

/** Longer than a batch takes. A process that dies leaves its traces to another after it. */
const claimedMs = 60_000;
const askedMax = 500;
/** Traces of one monitor whose contents are in memory at once, and that are counted together. */
const togetherMax = 100;
/** Monitors of an organization that are asked at once. */
const monitorsMax = 4;

type Outcome = Exclude<keyof MonitorCounts, 'seen' | 'matched' | 'sampled'>;
type Verdict = Outcome | 'not matched' | 'not sampled';

/** The record that a monitor makes of a trace, and its run. */
interface Decision {
  verdict: Verdict;
  runId?: string;
}
type Decisions = Map<AskedHead, Decision>;

/** A trace that a monitor takes, with its contents where they have been read. */
interface Candidate {
  head: AskedHead;
  recordedIn: string[];
  contents?: Contents | undefined;
  isRead: boolean;
}

/**
 * Asks monitors about settled traces. The heads say which monitors are still to be asked, which
 * places of an hour they hold meanwhile, and in which runs a record of them was counted, so that any
 * process may do it, or end in its middle: a trace has one record in the run of its day, and counts
 * as recorded once.
 */
export function createMonitoring({
  store,
  ask,
  runRecords,
  newId,
  now,
  contentsOf,
  matchingContentsOf,
  keep,
}: Pick<Dependencies, 'store' | 'ask' | 'runRecords' | 'newId' | 'now'> & StoredSpans) {
  // Monitors of an organization write the same heads: side by side they would only conflict.
  const inTurn = createFairSemaphore({ permits: monitorsMax, permitsEach: 1 });
  const transact = <Result>(organizationId: string, work: () => Promise<Result>) =>
    inTurn(organizationId, () => store.transaction(work));

  /** What becomes of traces of which one monitor is still to be asked. */
  async function decide(
    organizationId: string,
    monitor: StoredMonitor,
    heads: AskedHead[],
  ): Promise<Decisions> {
    const traceIds = heads.map(({ traceId }) => traceId);
    const open = await store.askedTraces.findOpen(organizationId, monitor.id, traceIds);
    const decisions: Decisions = new Map();
    const candidates: Candidate[] = [];
    for (const head of heads) {
      const own = open.get(head.traceId);
      if (!own) continue;
      const found = await look(monitor, head, own);
      if (typeof found === 'string') decisions.set(head, { verdict: found });
      else candidates.push(found);
    }
    for (const [day, ofDay] of grouped(candidates, ({ head }) => dayOf(head)))
      await decideDay(organizationId, monitor, { day, candidates: ofDay, decisions });
    return decisions;
  }

  /** A filter on spans reads the trace: its contents come with that. */
  async function look(
    monitor: StoredMonitor,
    head: AskedHead,
    { recordedIn }: OpenTrace,
  ): Promise<Candidate | 'not matched' | 'not sampled'> {
    if (!isMatching(monitor, head)) return 'not matched';
    const isTaken = isSampled(monitor, head);
    const condition = spanConditionOf(monitor);
    if (!condition) return isTaken ? { head, recordedIn, isRead: false } : 'not sampled';
    const places = isTaken ? [monitor.select as ContentsPlace] : [];
    const found = await matchingContentsOf(head, head.traceId, condition, places);
    if (!found) return 'not matched';
    return isTaken ? { head, recordedIn, contents: found[0], isRead: true } : 'not sampled';
  }

  async function decideDay(
    organizationId: string,
    monitor: StoredMonitor,
    given: { day: string; candidates: Candidate[]; decisions: Decisions },
  ): Promise<void> {
    const { day, decisions } = given;
    const runId = given.candidates.some(({ recordedIn }) => recordedIn.length > 0)
      ? await presentRun(organizationId, monitor.id, day)
      : null;
    const isRepeated = ({ recordedIn }: Candidate) => runId !== null && recordedIn.includes(runId);
    for (const { head } of given.candidates.filter(isRepeated))
      decisions.set(head, { verdict: 'repeated' });
    const candidates = given.candidates.filter((candidate) => !isRepeated(candidate));

    const withPlace = await takePlaces(organizationId, monitor, candidates);
    const samples: Sample[] = [];
    for (const candidate of candidates) {
      const { head } = candidate;
      if (!withPlace.has(head.traceId)) {
        decisions.set(head, { verdict: 'overLimit' });
        continue;
      }
      const contents = candidate.isRead
        ? candidate.contents
        : (await contentsOf(head, head.traceId, [monitor.select as ContentsPlace]))[0];
      if (!contents || isEmpty(contents)) decisions.set(head, { verdict: 'empty' });
      else samples.push({ head, record: recordOf(head, contents) });
    }
    for (const batch of batchesOf(samples)) {
      const decision = await record(organizationId, monitor, day, batch);
      for (const { head } of batch) decisions.set(head, decision);
    }
  }

  /** The run of a day, unless there is none, or somebody deleted it. */
  async function presentRun(
    organizationId: string,
    monitorId: string,
    day: string,
  ): Promise<string | null> {
    const runId = await store.monitors.findRun(organizationId, monitorId, day);
    if (runId === null) return null;
    const { outcome } = await ask['run-records'].run(serviceIdentity(organizationId), { runId });
    if (outcome === 'found') return runId;
    await store.monitors.forgetRun(organizationId, monitorId, runId);
    return null;
  }

  /** The traces that have a place in an hour: those that held one before, and as many as are left. */
  async function takePlaces(
    organizationId: string,
    { id, maxPerHour: max }: StoredMonitor,
    candidates: Candidate[],
  ): Promise<Set<string>> {
    const wanting = candidates.map(({ head }) => head.traceId);
    if (max === null || wanting.length === 0) return new Set(wanting);
    return transact(organizationId, async () => {
      const open = await store.askedTraces.findOpen(organizationId, id, wanting);
      const isHolding = (traceId: string) => (open.get(traceId)?.places.length ?? 0) > 0;
      const without = wanting.filter((traceId) => open.has(traceId) && !isHolding(traceId));
      const wanted = without.length;
      const { place, taken } = await store.monitors.takePlaces(organizationId, id, {
        now: now(),
        wanted,
        max,
      });
      const taking = without.slice(0, taken);
      await store.askedTraces.holdPlaces(organizationId, taking, place);
      return new Set([...wanting.filter(isHolding), ...taking]);
    });
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
  ): Promise<Decision> {
    const runOfDay = () =>
      store.monitors.runOfDay(organizationId, monitor, { day, newRunId: newId() });
    const recordInRun = async (id: string): Promise<Decision> => {
      await recordIn(organizationId, monitor, { id, day }, samples);
      return { verdict: 'recorded', runId: id };
    };
    const runId = await runOfDay();
    try {
      const decision = await recordInRun(runId).catch(async (error) => {
        if (!(error instanceof Failure) || error.code !== 'NOT_FOUND') throw error;
        await store.monitors.forgetRun(organizationId, monitor.id, runId);
        return recordInRun(await runOfDay());
      });
      if (monitor.problem !== null)
        await store.monitors.setProblem(organizationId, monitor.id, null);
      return decision;
    } catch (error) {
      if (!(error instanceof Failure) || error.code === 'SERVICE_UNAVAILABLE') throw error;
      await store.monitors.setProblem(organizationId, monitor.id, error.message);
      return { verdict: 'refused' };
    }
  }

  /** A record that is there already was made by an earlier try, which has not counted it. */
  async function recordIn(
    organizationId: string,
    monitor: StoredMonitor,
    { id, day }: { id: string; day: string },
    samples: Sample[],
  ): Promise<void> {
    const { projectId, description, metricIds, budgetUsdPerDay: budgetUsd } = monitor;
    const identity = { ...serviceIdentity(organizationId), userId: monitor.createdByUserId };
    const name = `${description.slice(0, 240)} ${day}`;
    const run = { id, projectId, name, metricIds, budgetUsd };
    await runRecords.openMonitoredRun(identity, run);
    await keep(
      identity,
      samples.map(({ head }) => head.traceId),
    );
    await runRecords.createTracedRecords(identity, {
      runId: id,
      records: samples.map(({ record }) => record),
    });
  }

  /** Counts the outcomes of traces that this monitor still is to be asked about. */
  async function finish(
    organizationId: string,
    monitor: StoredMonitor,
    decisions: Decisions,
  ): Promise<void> {
    await transact(organizationId, async () => {
      const traceIds = [...decisions.keys()].map(({ traceId }) => traceId);
      const open = await store.askedTraces.findOpen(organizationId, monitor.id, traceIds);
      const counts = new Map<string, MonitorCounts>();
      const places: string[] = [];
      const unused: string[] = [];
      const closed = [...decisions].filter(([{ traceId }]) => open.has(traceId));
      for (const [head, { verdict }] of closed) {
        const day = dayOf(head);
        const sum = counts.get(day) ?? { ...noMonitorCounts };
        counts.set(day, sum);
        addVerdict(sum, verdict);
        const held = open.get(head.traceId)!.places;
        places.push(...held);
        if (verdict !== 'recorded') unused.push(...held);
      }
      for (const [day, sum] of counts)
        await store.monitors.addCounts(organizationId, monitor, day, sum);
      await store.monitors.givePlacesBack(organizationId, unused);
      await store.askedTraces.close(
        organizationId,
        monitor.id,
        closed.map(([{ traceId }, { runId }]) => ({ traceId, runId })),
        places,
      );
    });
  }

  async function askMonitor(
    organizationId: string,
    monitor: StoredMonitor,
    heads: AskedHead[],
  ): Promise<void> {
    for (let from = 0; from < heads.length; from += togetherMax) {
      const some = heads.slice(from, from + togetherMax);
      await finish(organizationId, monitor, await decide(organizationId, monitor, some));
    }
  }

  async function askAll(organizationId: string, heads: AskedHead[]): Promise<void> {
    const ids = [...new Set(heads.flatMap(({ monitorIds }) => monitorIds))];
    const monitors = new Map(
      (await store.monitors.findEach(organizationId, ids)).map((monitor) => [monitor.id, monitor]),
    );
    const concerned = (id: string) => heads.filter(({ monitorIds }) => monitorIds.includes(id));
    await forEachGroup(
      new Map(ids.map((id) => [id, concerned(id)])),
      async (id, own) => {
        const monitor = monitors.get(id);
        // A paused monitor is asked when it goes on, and one that was deleted never.
        if (!monitor) await store.askedTraces.close(organizationId, id, own);
        else if (!monitor.isPaused) await askMonitor(organizationId, monitor, own);
      },
      { atOnce: monitorsMax },
    );
  }

  return {
    dueOrganizations: (): Promise<string[]> => store.askedTraces.dueOrganizations(now()),

    /** Asks an organization's monitors about traces; says whether there may be more of them. */
    async askDue(organizationId: string): Promise<boolean> {
      const claim = newId();
      const due = { now: now(), claimedMs, claim, limit: askedMax };
      const found = await store.askedTraces.take(organizationId, due);
      await askAll(organizationId, found);
      return found.length === askedMax;
    },
  };
}

/** A trace without contents that ended with an error is no empty one: its system failed. */
const isEmpty = ({ input, output, error }: Contents): boolean =>
  !hasContent(input) && !hasContent(output) && error === null;

/** The day on which a trace began, in UTC. */
const dayOf = ({ startedAt }: AskedHead): string =>
  new Date(startedAt).toISOString().slice(0, 'yyyy-mm-dd'.length);

function addVerdict(counts: MonitorCounts, verdict: Verdict): void {
  counts.seen += 1;
  if (verdict === 'not matched') return;
  counts.matched += 1;
  if (verdict === 'not sampled') return;
  counts.sampled += 1;
  counts[verdict] += 1;
}
