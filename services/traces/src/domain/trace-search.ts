import type { Identity, Request } from '@assay/contracts/define';
import { notFound, unavailable } from '@assay/contracts/failure';
import type { PageRequest } from '@assay/contracts/page';
import type { Trace, traces } from '@assay/contracts/traces';
import { nextTurn } from '@assay/runtime/concurrency/event-loop';
import { createFairSemaphore, QueueFull } from '@assay/runtime/concurrency/fair-semaphore';
import { createTextFilter } from '@assay/text-search/text-filter';
import type { StoredHead } from '../store.ts';
import type { Dependencies } from './dependencies.ts';
import { headFilterOf } from './head-filter.ts';
import type { LinkedRecords } from './linked-records.ts';
import type { Projects } from './projects.ts';
import { toReply } from './trace-reply.ts';

type Operation = (typeof traces)['operations']['searchTraces'];

/** How long one search looks in traces, in ms. */
const searchMaxMs = 2000;
/** Heads that are read at once, and spans of the traces whose parts are. */
const headsMax = 100;
const spansTogetherMax = 2000;
/** Bytes of a part that are looked at at a stroke, a few milliseconds at the worst. */
const pieceBytesMax = 512 * 1024;
/** More than a text takes that is written in escapes alone: it may lie across two pieces. */
const overlapBytes = 4 * 1024;
/** Searches under way at once. */
const searches = { permits: 4, permitsEach: 2, permitsBesideOthers: 1, waitingEach: 6 };

/** Looks for a text in the spans of a project's traces, the newest first. */
export function createTraceSearch({
  store,
  read,
  projects,
  linkedRecords,
}: Pick<Dependencies, 'store' | 'read'> & {
  projects: Pick<Projects, 'isThere'>;
  linkedRecords: Pick<LinkedRecords, 'ofEach'>;
}) {
  const withPermit = createFairSemaphore(searches);

  /** Which of these traces have the text? */
  async function havingText(
    organizationId: string,
    heads: StoredHead[],
    { text, mayHaveText }: { text: string; mayHaveText: (bytes: Uint8Array) => Promise<boolean> },
  ): Promise<Set<string>> {
    const having = new Set<string>();
    const ids = heads.map(({ traceId }) => traceId);
    for await (const { traceId, bytes } of store.parts.ofTraces(organizationId, ids)) {
      if (having.has(traceId) || !(await mayHaveText(bytes))) continue;
      if (await read({ name: 'hasText', given: { parts: [bytes], text } })) having.add(traceId);
    }
    return having;
  }

  /** Searches until `limit` traces have the text, or for two seconds; at least one trace. */
  async function find(
    organizationId: string,
    projectId: string,
    {
      text,
      filters,
      page,
    }: { text: string; filters: Request<Operation>['query']; page: PageRequest },
  ) {
    const filter = headFilterOf(filters);
    const match = { text, mayHaveText: createPartFilter(text) };
    const [startedAt, traceId, before = '0'] = page.after?.split('/') ?? [];
    const hits: StoredHead[] = [];
    let last: StoredHead | undefined;
    let searched = Number(before);
    let after = startedAt === undefined ? undefined : `${startedAt}/${traceId}`;
    const endMs = performance.now() + searchMaxMs;
    const found = (hasMore: boolean) => ({ hits, last, searched, hasMore });
    for (;;) {
      const heads = { limit: headsMax, after };
      const { items, next } = await store.heads.listOfProject(
        organizationId,
        projectId,
        filter,
        heads,
      );
      for (const group of together(items)) {
        if (last && performance.now() > endMs) return found(true);
        const having = await havingText(organizationId, group, match);
        for (const head of group) {
          last = head;
          searched += 1;
          if (!having.has(head.traceId)) continue;
          hits.push(head);
          if (hits.length === page.limit) return found(next !== null || head !== items.at(-1));
        }
      }
      if (next === null) return found(false);
      after = next;
    }
  }

  return {
    /**
     * A page goes on at a trace, and counts on from the traces that were searched before it.
     * @throws SERVICE_UNAVAILABLE while too many searches of the organization wait.
     */
    async search(
      identity: Identity,
      projectId: string,
      asked: Parameters<typeof find>[2],
    ): Promise<{
      items: Trace[];
      next: string | null;
      searched: number;
      searchedTo: string | null;
    }> {
      if (!(await projects.isThere(identity, projectId))) throw notFound('project', projectId);
      const { hits, last, searched, hasMore } = await withPermit(identity.organizationId, () =>
        find(identity.organizationId, projectId, asked),
      ).catch((error: unknown) => {
        if (error instanceof QueueFull)
          throw unavailable('Other searches of this organization are under way: try again.');
        throw error;
      });
      const linked = asked.filters.records ? await linkedRecords.ofEach(identity, hits) : [];
      return {
        items: hits.map((head, at) => ({ ...toReply(head), ...linked[at] })),
        next: hasMore && last ? `${last.startedAt}/${last.traceId}/${searched}` : null,
        searched,
        searchedTo: last ? toReply(last).startedAt : null,
      };
    },
  };
}

/** Tells of most parts that have no text that they have none, a piece in each turn of the event loop. */
function createPartFilter(text: string): (bytes: Uint8Array) => Promise<boolean> {
  const mayHaveText = createTextFilter(text);
  return async (bytes) => {
    if (!mayHaveText) return true;
    for (let from = 0; from < bytes.length; from += pieceBytesMax) {
      const turn = nextTurn();
      if (turn) await turn;
      if (mayHaveText(bytes.subarray(from, from + pieceBytesMax + overlapBytes))) return true;
    }
    return false;
  };
}

/** Groups traces that are read together; one of many spans is read alone. */
function* together(heads: StoredHead[]): Generator<StoredHead[]> {
  let group: StoredHead[] = [];
  let spans = 0;
  for (const head of heads) {
    if (group.length > 0 && spans + head.numSpans > spansTogetherMax) {
      yield group;
      group = [];
      spans = 0;
    }
    group.push(head);
    spans += head.numSpans;
  }
  if (group.length > 0) yield group;
}
