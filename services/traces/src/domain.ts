import type { Identity, Request } from '@assay/contracts/define';
import { notFound } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import { JsonText } from '@assay/contracts/payload';
import type { Trace, TraceConversation, TraceSpan } from '@assay/contracts/traces';
import { linkedTracesMax, type traces } from '@assay/contracts/traces';
import { createAnnotations } from './domain/annotations.ts';
import type { Dependencies } from './domain/dependencies.ts';
import { createFromTraces } from './domain/from-traces.ts';
import { headFilterOf } from './domain/head-filter.ts';
import { createLinkedRecords } from './domain/linked-records.ts';
import { createMonitorPart } from './domain/monitor-part.ts';
import { createMonitoring } from './domain/monitoring.ts';
import { createMonitors } from './domain/monitors.ts';
import { createNamedTraces } from './domain/named-traces.ts';
import { createPresentHead } from './domain/present-head.ts';
import { createPrices } from './domain/prices.ts';
import { createProjects } from './domain/projects.ts';
import { readWritten } from './domain/reading-task.ts';
import { createReceiving } from './domain/receiving.ts';
import { createRecordLinks } from './domain/record-links.ts';
import { createSettling } from './domain/settling.ts';
import { createStoredSpans } from './domain/stored-spans.ts';
import { createTraceQuota } from './domain/trace-quota.ts';
import { toReply } from './domain/trace-reply.ts';
import { createTraceSearch } from './domain/trace-search.ts';
import { createVolume } from './domain/volume.ts';
import type { StoredHead } from './store.ts';

type Filters = Request<(typeof traces)['operations']['listTraces']>['query'];
type VolumeQuery = Request<(typeof traces)['operations']['getTraceVolume']>['query'];

/** Traces of a deleted project that are deleted at once. */
const deletedMax = 500;

export type Domain = ReturnType<typeof createDomain>;

/** The rules of traces: how they come, are settled, read, and go. */
export function createDomain(dependencies: Dependencies) {
  const { store, read, now } = dependencies;
  const storedSpans = createStoredSpans(dependencies);
  const { partsOf, listOf, findSpan } = storedSpans;
  const projects = createProjects(dependencies);
  const prices = createPrices(dependencies);
  const recordLinks = createRecordLinks({ ...dependencies, ...storedSpans });
  const annotations = createAnnotations({ ...dependencies, ...storedSpans });
  const volume = createVolume(dependencies);
  const linkedRecords = createLinkedRecords(dependencies);
  const monitors = createMonitors({ ...dependencies, ...storedSpans, projects });
  const { search } = createTraceSearch({ ...dependencies, projects, linkedRecords });

  async function headOf({ organizationId }: Identity, traceId: string): Promise<StoredHead> {
    const head = await store.heads.find(organizationId, traceId);
    if (!head) throw notFound('trace', traceId);
    return head;
  }

  const quota = createTraceQuota(dependencies);
  return {
    quota,
    receiving: createReceiving({ ...dependencies, projects, quota }),
    settling: createSettling({ ...dependencies, projects, prices, monitors, recordLinks }),
    recordLinks,
    namedTraces: createNamedTraces(dependencies),
    annotations,
    monitors,
    monitorPart: createMonitorPart(dependencies),
    monitoring: createMonitoring({ ...dependencies, ...storedSpans }),
    fromTraces: createFromTraces({
      ...dependencies,
      ...storedSpans,
      presentHead: createPresentHead({ ...dependencies, ...storedSpans, prices }),
    }),

    async list(
      identity: Identity,
      projectId: string,
      filters: Filters,
      page: PageRequest,
    ): Promise<Page<Trace>> {
      if (!(await projects.isThere(identity, projectId))) throw notFound('project', projectId);
      const { items, next } = await store.heads.listOfProject(
        identity.organizationId,
        projectId,
        headFilterOf(filters),
        page,
      );
      const linked = filters.records ? await linkedRecords.ofEach(identity, items) : [];
      return { items: items.map((head, at) => ({ ...toReply(head), ...linked[at] })), next };
    },

    search,

    /** How many traces began, and how many of them have errors, in stretches of time. */
    async volume(identity: Identity, projectId: string, { buckets, ...filters }: VolumeQuery) {
      if (!(await projects.isThere(identity, projectId))) throw notFound('project', projectId);
      const asked = { ...headFilterOf(filters), buckets };
      return volume.read(identity.organizationId, projectId, asked);
    },

    async listOfSession(
      { organizationId }: Identity,
      sessionId: string,
      page: PageRequest,
    ): Promise<Page<Trace>> {
      const { items, next } = await store.heads.listOfSession(organizationId, sessionId, page);
      return { items: items.map(toReply), next };
    },

    async get(identity: Identity, traceId: string): Promise<Trace> {
      const head = await headOf(identity, traceId);
      const [linked, said] = await Promise.all([
        linkedRecords.of(identity, head),
        annotations.list(identity, traceId),
      ]);
      return { ...toReply(head), ...linked, annotations: said };
    },

    /** The head goes first: nobody finds the trace while its spans go. */
    async delete(identity: Identity, traceId: string) {
      await headOf(identity, traceId);
      const { organizationId } = identity;
      await store.deletedTraces.remember(organizationId, [traceId], now());
      if (!(await store.heads.delete(organizationId, traceId))) throw notFound('trace', traceId);
      await store.parts.deleteOfTraces(organizationId, [traceId]);
      await store.annotations.deleteOfTraces(organizationId, [traceId]);
      return { success: true as const };
    },

    async listSpans(identity: Identity, traceId: string) {
      const { data, numSpans } = await listOf(identity, await headOf(identity, traceId));
      return { data: new JsonText(data), numSpans };
    },

    async getConversation(identity: Identity, traceId: string): Promise<TraceConversation> {
      await headOf(identity, traceId);
      const parts = await partsOf(identity, traceId);
      return readWritten<TraceConversation>(
        await read({ name: 'readConversation', given: { parts } }),
      )!;
    },

    async getSpan(identity: Identity, traceId: string, spanId: string): Promise<TraceSpan> {
      const span = await findSpan(identity, await headOf(identity, traceId), spanId);
      if (!span) throw notFound('span', spanId);
      return span;
    },

    /** The traces of a record by its `otelLinkId`, which is the id of a trace that it was made of. */
    async linkedTo({ organizationId }: Identity, linkId: string) {
      const [linked, own] = await Promise.all([
        store.heads.findLinked(organizationId, linkId, linkedTracesMax),
        store.heads.findThere(organizationId, [linkId]),
      ]);
      return { traceIds: [...new Set([...own, ...linked])].slice(0, linkedTracesMax) };
    },

    /** Deletes the traces of a deleted project. */
    async forgetProject({ organizationId }: Identity, projectId: string) {
      projects.forget(organizationId, projectId);
      await monitors.forgetProject(organizationId, projectId);
      for (;;) {
        const ids = await store.heads.someOfProject(organizationId, projectId, deletedMax);
        if (ids.length === 0) return {};
        await store.parts.deleteOfTraces(organizationId, ids);
        await store.annotations.deleteOfTraces(organizationId, ids);
        await store.heads.deleteTraces(organizationId, ids);
      }
    },

    /** Resolves when all spans that came are stored. */
    drain: store.drain,
  };
}
