import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { Page, PageRequest } from '@assay/contracts/page';
import { JsonText } from '@assay/contracts/payload';
import { changedFieldsMax } from '@assay/contracts/testcase-history';
import { escapeSegment } from '@assay/json/pointer';
import { scanMembers, skipSpace } from '@assay/json/scan';
import { pageBytesMax } from '@assay/runtime/mongo/within-bytes';
import type { ChangeEvent, EventKey, Store, TestcaseHistory, TestcaseState } from '../store.ts';
import type { Definition } from './definitions.ts';
import { isSameData } from './same-data.ts';

/** Events that are read at once, and those that one request reads. */
const batchEventsMax = 200;
const requestEventsMax = 2000;

interface Dependencies {
  store: Store;
  definitionOf: (identity: Identity, testsetId: string) => Promise<Definition>;
  now: () => Date;
}

/** The two times that are compared, in ms: states that are there just before each of them. */
interface Times {
  since: number;
  until: number;
}

interface Data {
  jsonData: Buffer;
  key: string | undefined;
}

/** How one testcase differs between two times. */
export interface ShownChange {
  testcaseId: string;
  key?: string;
  change: 'added' | 'changed' | 'deleted';
  changedAt: string;
  changedByUserId: string | null;
  version: number | null;
  before: JsonText | null;
  after: JsonText | null;
  fields: string[];
}

/** Tells how the testcases of a testset differ between two times. */
export function createChanges({ store, definitionOf, now }: Dependencies) {
  /** Undefined where the testcase is the same at both times. */
  async function differenceOf(
    organizationId: string,
    { at, testcaseId, userId }: ChangeEvent,
    history: TestcaseHistory,
    times: Times,
  ): Promise<ShownChange | undefined> {
    const { before, after, isBeforeForgotten } = statesOf(history, times);
    if (before === after && !isBeforeForgotten) return undefined;
    const read = (state: TestcaseState | undefined): Promise<Data | undefined> | undefined =>
      state && store.dataOf(organizationId, testcaseId, state);
    const [old, fresh] = [await read(before), await read(after)];
    if (!old && !fresh) return undefined;
    if (old && fresh && old.key === fresh.key && isSameData(old.jsonData, fresh.jsonData))
      return undefined;
    const key = (fresh ?? old)!.key;
    return {
      testcaseId,
      ...(key === undefined ? {} : { key }),
      change: !fresh ? 'deleted' : old || isBeforeForgotten ? 'changed' : 'added',
      changedAt: new Date(at).toISOString(),
      changedByUserId: userId ?? null,
      version: old ? before!.version : null,
      before: old ? new JsonText(old.jsonData) : null,
      after: fresh ? new JsonText(fresh.jsonData) : null,
      fields: old && fresh ? changedFields(old.jsonData, fresh.jsonData) : [],
    };
  }

  return {
    /**
     * Goes through the events between the two times, newest first. A testcase is told at its last
     * one.
     */
    async listChanges(
      identity: Identity,
      testsetId: string,
      {
        since,
        until,
        page,
      }: { since: string | undefined; until: string | undefined; page: PageRequest },
    ): Promise<Page<ShownChange>> {
      const { organizationId } = identity;
      await definitionOf(identity, testsetId);
      const place = page.after === undefined ? undefined : readPlace(page.after);
      const times = {
        since: since ? Date.parse(since) : 0,
        // The pages of one list end at the same time, and a change of now belongs to the first.
        until: place?.until ?? (until ? Date.parse(until) : now().getTime() + 1),
      };
      if (times.until < times.since)
        throw until === undefined
          ? invalidAt('?since', 'must not be in the future')
          : invalidAt('?until', 'must not be before since');
      const items: ShownChange[] = [];
      let before: EventKey = place?.key ?? { at: times.until, testcaseId: '' };
      let bytes = 0;
      for (let read = 0; read < requestEventsMax; read += batchEventsMax) {
        const events = await store.listEvents(organizationId, testsetId, {
          since: times.since,
          before,
          limit: batchEventsMax,
        });
        const histories = await store.historiesOf(organizationId, [
          ...new Set(events.map(({ testcaseId }) => testcaseId)),
        ]);
        const told = new Set<string>();
        for (const [index, event] of events.entries()) {
          before = event;
          const history = histories.get(event.testcaseId)!;
          if (told.has(event.testcaseId) || event.at < lastEvent(history, times)) continue;
          told.add(event.testcaseId);
          const item = await differenceOf(organizationId, event, history, times);
          if (!item) continue;
          items.push(item);
          bytes += (item.before?.bytes.length ?? 0) + (item.after?.bytes.length ?? 0);
          const isLast = index === events.length - 1 && events.length < batchEventsMax;
          if (items.length < page.limit && bytes < pageBytesMax) continue;
          return { items, next: isLast ? null : writePlace(times, event) };
        }
        if (events.length < batchEventsMax) return { items, next: null };
      }
      return { items, next: writePlace(times, before) };
    },
  };
}

/** When a testcase was changed last before the later time, in ms. */
const lastEvent = ({ createdAt, changedAt }: TestcaseHistory, { until }: Times): number =>
  changedAt
    .map((at) => at.getTime())
    .filter((at) => at < until)
    .reduce((last, at) => Math.max(last, at), createdAt.getTime());

/** The states of a testcase at both times; undefined where it was not there. */
function statesOf(
  { createdAt, states }: TestcaseHistory,
  { since, until }: Times,
): {
  /** At the earlier time; of a testcase that was made and deleted between both, the last. */
  before: TestcaseState | undefined;
  after: TestcaseState | undefined;
  /** Whether the testcase was there at the earlier time, and its data then is no longer kept. */
  isBeforeForgotten: boolean;
} {
  const begin = ({ from }: TestcaseState): number => from.getTime();
  const end = ({ to }: TestcaseState): number => to?.getTime() ?? Number.POSITIVE_INFINITY;
  const at = (time: number) =>
    states.findLast((state) => begin(state) < time && time <= end(state));
  const after = at(until);
  // One that was made and deleted in between is told, too: it can be restored.
  const before = at(since) ?? (after ? undefined : states.findLast((state) => end(state) < until));
  const [oldest] = states;
  const isBeforeForgotten =
    before === undefined &&
    createdAt.getTime() < since &&
    oldest !== undefined &&
    oldest.version > 1 &&
    begin(oldest) >= since;
  return { before, after, isBeforeForgotten };
}

/** JSON Pointers to the fields of which the two have different values. */
function changedFields(before: Buffer, after: Buffer): string[] {
  const [old, fresh] = [before, after].map((data) => scanMembers(data, skipSpace(data, 0)));
  const valueIn = (data: Buffer, span: { start: number; end: number } | undefined) =>
    span && data.subarray(span.start, span.end);
  return [...new Set([...old!.keys(), ...fresh!.keys()])]
    .filter((name) => {
      const [one, other] = [valueIn(before, old!.get(name)), valueIn(after, fresh!.get(name))];
      return !one || !other || !isSameData(one, other);
    })
    .slice(0, changedFieldsMax)
    .map((name) => `/${escapeSegment(name)}`);
}

const writePlace = ({ until }: Times, { at, testcaseId }: EventKey): string =>
  `${until} ${at} ${testcaseId}`;

function readPlace(place: string): { until: number; key: EventKey } {
  const [until, at, testcaseId] = place.split(' ');
  return { until: Number(until), key: { at: Number(at), testcaseId: testcaseId! } };
}
