import type { Identity, Request } from '@assay/contracts/define';
import {
  type MonitorPreview,
  previewExamplesMax,
  previewedSpansMax,
  previewedTracesMax,
  type traces,
} from '@assay/contracts/traces';
import type { StoredMonitor, TriedHead } from '../store.ts';
import type { Dependencies } from './dependencies.ts';
import { forEachGroup } from './grouped.ts';
import { isMatching, isSampled, spanConditionOf } from './sampling.ts';
import type { StoredSpans } from './stored-spans.ts';

type PreviewBody = Request<(typeof traces)['operations']['previewMonitor']>['body'];

const hourMs = 60 * 60 * 1000;
/** Traces whose spans are read at once. */
const readTogether = 4;

/** What a backfill would look at, and make. */
export interface BackfillCount {
  traces: number;
  records: number;
  estimatedUsd: number | null;
}

/** What monitors would do, without doing it. */
export function createMonitorPreviews({
  store,
  ask,
  now,
  matchingContentsOf,
}: Pick<Dependencies, 'store' | 'ask' | 'now'> & Pick<StoredSpans, 'matchingContentsOf'>) {
  /** The cost of the judges of a record, as results estimates it; null where that is not known. */
  async function recordUsd(
    identity: Identity,
    { id, projectId, metricIds }: StoredMonitor,
  ): Promise<number | null> {
    const days = await store.monitors.daysOf(identity.organizationId, [id]);
    const pilot = days.get(id)?.find(({ runId }) => runId !== null);
    try {
      const { costUsd } = await ask.results.recordCost(identity, {
        projectId,
        metricIds,
        pilotRunId: pilot?.runId ?? null,
      });
      return costUsd;
    } catch {
      // A backfill can do without.
      return null;
    }
  }

  /** Those of these traces that have a span as a filter wants it. */
  async function withSpan(
    { organizationId }: Identity,
    heads: TriedHead[],
    condition: ReturnType<typeof spanConditionOf>,
  ): Promise<TriedHead[]> {
    if (!condition) return heads;
    const found = new Set<string>();
    await forEachGroup(
      new Map(heads.map(({ traceId }) => [traceId, undefined])),
      async (traceId) => {
        if (await matchingContentsOf({ organizationId }, traceId, condition, []))
          found.add(traceId);
      },
      { atOnce: readTogether },
    );
    return heads.filter(({ traceId }) => found.has(traceId));
  }

  return {
    /** Counts the settled traces of a time, and the records that a monitor would make of them. */
    async ofBackfill(
      identity: Identity,
      monitor: StoredMonitor,
      time: { from: number; to: number },
    ): Promise<BackfillCount> {
      const { organizationId } = identity;
      const runs = await store.monitors.runsOf(organizationId, monitor.id);
      const recorded = new Map<string, number>();
      let traces = 0;
      let records = 0;
      const { settledBetween } = store.askedTraces;
      for await (const head of settledBetween(organizationId, monitor.projectId, time)) {
        traces += 1;
        if (!isMatching(monitor, head) || !isSampled(monitor, head)) continue;
        const runId = head.recordedIn.find((each) => runs.has(each));
        if (runId === undefined) records += 1;
        else recorded.set(runId, (recorded.get(runId) ?? 0) + 1);
      }
      for (const [runId, count] of recorded) {
        const { outcome } = await ask['run-records'].run(identity, { runId });
        // Somebody deleted it: the day gets another one.
        if (outcome === 'missing') records += count;
      }
      const each = records === 0 ? 0 : await recordUsd(identity, monitor);
      return { traces, records, estimatedUsd: each === null ? null : each * records };
    },

    /** Tries a filter and a rate on the traces of the last hour. */
    async ofLastHour(
      identity: Identity,
      projectId: string,
      { monitorId, filter = {}, sampleRate = 1, sampleBy = 'trace' }: PreviewBody,
    ): Promise<MonitorPreview> {
      const { organizationId } = identity;
      const condition = spanConditionOf({ filter });
      const to = now().getTime();
      const heads: TriedHead[] = [];
      for await (const head of store.askedTraces.settledBetween(organizationId, projectId, {
        from: to - hourMs,
        to,
        limit: condition ? previewedSpansMax : previewedTracesMax,
      }))
        heads.push(head);
      const passing = heads.filter((head) => isMatching({ filter }, head));
      const matched = await withSpan(identity, passing, condition);
      // A monitor that is not there yet has no id, on which its samples depend.
      const monitor = { id: monitorId ?? projectId, sampleRate, sampleBy };
      return {
        seen: heads.length,
        matched: matched.length,
        sampled: matched.filter((head) => isSampled(monitor, head)).length,
        examples: matched.slice(0, previewExamplesMax).map((head) => ({
          traceId: head.traceId,
          name: head.name,
          startedAt: new Date(head.startedAt).toISOString(),
          inputPreview: head.inputPreview,
        })),
      };
    },
  };
}
