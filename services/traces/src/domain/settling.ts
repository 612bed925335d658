import { Failure } from '@assay/contracts/failure';
import type { GuardedResult } from '@assay/runtime/concurrency/guard-item';
import { serviceIdentity } from '@assay/runtime/signature';
import { mappingVersion } from '@assay/span-reading/families';
import type { DueHead, StoredPart } from '../store.ts';
import type { Dependencies } from './dependencies.ts';
import type { SettledTrace } from './kept-trace.ts';
import type { Monitors } from './monitors.ts';
import type { Prices } from './prices.ts';
import type { Projects } from './projects.ts';
import { tooMuchToReadCode } from './reading-task.ts';
import type { RecordLinks } from './record-links.ts';
import { settledFieldsOf } from './settled-fields.ts';
import { traceBytesMax } from './stored-spans.ts';

/** Nothing came for this long: after the root, which ends last, and without one. */
const quietMs = 5000;
const quietWithoutRootMs = 30_000;
/** Longer than settling takes. A process that dies leaves its traces to another after it. */
const claimedMs = 60_000;
/** Traces of an organization that are claimed at once, and bytes of them that are read in a round. */
const dueMax = 250;
const roundBytesMax = 64 * 1024 * 1024;
/** Traces that are read at once. */
/** Traces that an earlier mapping read, a second and a process: what comes goes first. */
const outdatedMax = 50;
const readTogether = { tracesMax: 100, bytesMax: 4 * 1024 * 1024 };

interface UnreadableTrace {
  traceId: string;
  fault: string;
}

/** The parts of a trace, as far as they are read. */
interface TraceParts {
  traceId: string;
  parts: StoredPart[];
  bytes: number;
}

/**
 * Settles traces for which nothing comes any more: reads their spans, computes their heads exactly,
 * and stores each span once. The database alone says which are due, so that any process may do it,
 * or end in its middle.
 */
export function createSettling({
  store,
  read,
  newId,
  now,
  projects,
  prices,
  monitors,
  recordLinks,
}: Pick<Dependencies, 'store' | 'read' | 'newId' | 'now'> & {
  projects: Projects;
  prices: Prices;
  monitors: Pick<Monitors, 'activeOf'>;
  recordLinks: Pick<RecordLinks, 'keepNamed'>;
}) {
  const before = (ms: number): Date => new Date(now().getTime() - ms);
  const dueTimes = () => ({ withRoot: before(quietMs), withoutRoot: before(quietWithoutRootMs) });

  /**
   * Settles traces, as far as a round goes. Returns those that cannot be read, which stop no others,
   * and why.
   */
  async function settleOf(
    organizationId: string,
    heads: DueHead[],
    { isAgain }: { isAgain: boolean },
  ): Promise<{ unreadable: UnreadableTrace[]; isWhole: boolean }> {
    const due = new Map(heads.map((head) => [head.traceId, head]));
    const unreadable: UnreadableTrace[] = [];
    let bytes = 0;
    for await (const traces of together(store.parts.ofTraces(organizationId, [...due.keys()]))) {
      const settled = await readSettled(traces);
      const pairs = traces.flatMap((trace, index) => {
        const guarded = settled[index]!;
        if ('result' in guarded) return [{ trace, settled: guarded.result }];
        unreadable.push({ traceId: trace.traceId, fault: guarded.fault });
        return [];
      });
      await rewrite(organizationId, due, pairs);
      await keep(organizationId, due, pairs, { isAgain });
      bytes += traces.reduce((sum, trace) => sum + trace.bytes, 0);
      if (bytes >= roundBytesMax) return { unreadable, isWhole: false };
    }
    return { unreadable, isWhole: true };
  }

  /** Of traces that are too much to read together, each is read alone. */
  async function readSettled(traces: TraceParts[]): Promise<GuardedResult<SettledTrace>[]> {
    const given = { traces: traces.map(({ parts }) => parts.map(({ bytes }) => bytes)) };
    try {
      return await read({ name: 'settle', given });
    } catch (error) {
      if (!(error instanceof Failure) || error.code !== tooMuchToReadCode) throw error;
      if (traces.length === 1) return [{ fault: error.message }];
      return (await Promise.all(traces.map((trace) => readSettled([trace])))).flat();
    }
  }

  /**
   * Stores parts anew, and lists. The new parts come before the old ones go: whoever reads in
   * between counts each span once. Of a trace that was deleted meanwhile they go as well.
   */
  async function rewrite(
    organizationId: string,
    due: Map<string, DueHead>,
    pairs: { trace: TraceParts; settled: SettledTrace }[],
  ): Promise<void> {
    const changed = pairs.flatMap(({ trace: { traceId, parts }, settled: { rewritten } }) =>
      rewritten ? [{ traceId, parts, rewritten }] : [],
    );
    const listed = pairs.flatMap(({ trace: { traceId }, settled: { list } }) =>
      list ? [{ traceId, list }] : [],
    );
    if (changed.length === 0 && listed.length === 0) return;
    await store.parts.add(
      changed.flatMap(({ traceId, rewritten }) =>
        rewritten.map((part) => ({
          organizationId,
          part: { id: newId(), traceId, expiresAt: due.get(traceId)!.expiresAt, ...part },
        })),
      ),
    );
    const oldIds = changed.flatMap(({ parts }) => parts.map(({ id }) => id));
    await store.parts.deleteParts(organizationId, oldIds);
    for (const { traceId, list } of listed)
      await store.spanLists.keep(organizationId, due.get(traceId)!, {
        mapping: mappingVersion,
        ...list,
      });
    const ids = [...changed, ...listed].map(({ traceId }) => traceId);
    const there = await store.heads.findThere(organizationId, ids);
    const deleted = ids.filter((id) => !there.has(id));
    if (deleted.length > 0) await store.parts.deleteOfTraces(organizationId, deleted);
  }

  async function keep(
    organizationId: string,
    due: Map<string, DueHead>,
    pairs: { trace: TraceParts; settled: SettledTrace }[],
    { isAgain }: { isAgain: boolean },
  ): Promise<void> {
    const identity = serviceIdentity(organizationId);
    const kept: Parameters<typeof store.heads.keepSettled>[1] = [];
    const gone: string[] = [];
    for (const { trace, settled } of pairs) {
      const { traceId } = trace;
      const head = due.get(traceId)!;
      if (!(await projects.isThere(identity, head.projectId))) {
        gone.push(traceId);
        continue;
      }
      const cost = await prices.costOf(identity, settled.summary);
      const isWhole = trace.bytes < traceBytesMax;
      kept.push({
        traceId,
        arrivals: head.arrivals,
        monitorIds: isAgain ? [] : await monitors.activeOf(organizationId, head.projectId),
        fields: settledFieldsOf(settled.summary, { cost, isWhole, isAgain }),
      });
    }
    await recordLinks.keepNamed(
      organizationId,
      kept.map(({ traceId, fields: { linkIds } }) => ({ traceId, linkIds })),
    );
    await store.heads.keepSettled(organizationId, kept, { mapping: mappingVersion, now: now() });
    // Their project was deleted while spans came.
    if (gone.length > 0) {
      await store.heads.deleteTraces(organizationId, gone);
      await store.parts.deleteOfTraces(organizationId, gone);
      await store.annotations.deleteOfTraces(organizationId, gone);
    }
  }

  return {
    dueOrganizations: (): Promise<string[]> => store.heads.dueOrganizations(dueTimes()),

    /** For how long the trace is due that waits longest to be settled, in seconds. */
    lagSeconds: async (): Promise<number> =>
      (await store.heads.settleLagMs({ ...dueTimes(), now: now() })) / 1000,

    /** Settles traces of an organization that are due; says whether there may be more of them. */
    async settleDue(organizationId: string): Promise<boolean> {
      const claim = newId();
      const due = { ...dueTimes(), now: now(), claimedMs, claim, limit: dueMax };
      const found = await store.heads.takeDue(organizationId, due);
      let settled: Awaited<ReturnType<typeof settleOf>> = { unreadable: [], isWhole: true };
      try {
        settled = await settleOf(organizationId, found, { isAgain: false });
      } finally {
        // Those of which more came meanwhile, and those beyond a round, are due again. Those that
        // cannot be read stay claimed for a while, so that others go before them.
        await store.heads.releaseClaim(claim, without(found, settled.unreadable));
      }
      tellUnreadable(settled.unreadable);
      return found.length === dueMax || !settled.isWhole;
    },

    outdatedOrganizations: (): Promise<string[]> =>
      store.outdatedHeads.organizations(mappingVersion),

    /**
     * Settles some traces of an organization anew that an earlier version of the mapping read, the
     * newest first. No monitor is asked again. Those that fail stay claimed for a while, so that
     * others go before them. Says that it is enough for now: nobody waits for them.
     */
    async settleOutdated(organizationId: string): Promise<false> {
      const claim = newId();
      const mapping = mappingVersion;
      const found = await store.outdatedHeads.take(organizationId, {
        now: now(),
        mapping,
        claimedMs,
        claim,
        limit: outdatedMax,
      });
      const { unreadable, isWhole } = await settleOf(organizationId, found, { isAgain: true });
      // Of some the parts are gone.
      if (isWhole) await store.outdatedHeads.complete(claim, without(found, unreadable), mapping);
      tellUnreadable(unreadable);
      return false;
    },
  };
}

/** @throws the sentence of the log about traces that cannot be read. */
function tellUnreadable(unreadable: UnreadableTrace[]): void {
  const [first] = unreadable;
  if (first)
    throw new Error(
      `${unreadable.length} traces cannot be read; trace ${first.traceId}: ${first.fault}`,
    );
}

function without<Head extends { traceId: string }>(
  heads: Head[],
  unreadable: UnreadableTrace[],
): Head[] {
  const ids = new Set(unreadable.map(({ traceId }) => traceId));
  return heads.filter(({ traceId }) => !ids.has(traceId));
}

/** Gathers parts into traces, and traces into groups that are read together. */
async function* together(
  parts: AsyncIterable<StoredPart & { traceId: string }>,
): AsyncGenerator<TraceParts[]> {
  let group: TraceParts[] = [];
  let bytes = 0;
  let trace: TraceParts | undefined;
  for await (const { traceId, ...part } of parts) {
    if (trace?.traceId !== traceId) {
      if (group.length >= readTogether.tracesMax || bytes >= readTogether.bytesMax) {
        yield group;
        group = [];
        bytes = 0;
      }
      trace = { traceId, parts: [], bytes: 0 };
      group.push(trace);
    }
    if (trace.bytes >= traceBytesMax) continue;
    trace.parts.push(part);
    trace.bytes += part.bytes.length;
    bytes += part.bytes.length;
  }
  if (group.length > 0) yield group;
}
