import type { Identity, Request } from '@assay/contracts/define';
import { type Issue, invalid, notFound } from '@assay/contracts/failure';
import { JsonText } from '@assay/contracts/payload';
import { tracedBytesMax } from '@assay/contracts/run-records';
import { byKeyBytesMax } from '@assay/contracts/testcases';
import type { traces } from '@assay/contracts/traces';
import { valueAt } from '@assay/json/pointer';
import type { ContentsPlace } from '@assay/span-reading/contents';
import type { StoredHead } from '../store.ts';
import type { Dependencies } from './dependencies.ts';
import type { createPresentHead } from './present-head.ts';
import type { StoredSpans } from './stored-spans.ts';
import { bytesOf, recordOf, type TracedRecord } from './traced-record.ts';

type Operations = (typeof traces)['operations'];
type TestcasesBody = Request<Operations['createTestcasesFromTraces']>['body'];
type RecordsBody = Request<Operations['createRecordsFromTraces']>['body'];

const spanPlace = /^(span:[\s\S]+?)(\/(?:input|output|inputMessages|outputMessages)(?:\/.*)?)$/s;

/** Makes testcases and records of traces. */
export function createFromTraces({
  store,
  ask,
  runRecords,
  testcases,
  contentsOf,
  keep,
  presentHead,
}: Pick<Dependencies, 'store' | 'ask' | 'runRecords' | 'testcases'> &
  StoredSpans & { presentHead: ReturnType<typeof createPresentHead> }) {
  /**
   * Finds the traces of a request in its order.
   * @throws VALIDATION_ERROR with the place of each that the organization does not have, or that
   * comes twice.
   */
  async function headsOf({ organizationId }: Identity, traceIds: string[]): Promise<StoredHead[]> {
    const found = await store.heads.findEach(organizationId, traceIds);
    const heads = new Map(found.map((head) => [head.traceId, head]));
    const issues = traceIds.flatMap((traceId, at): Issue[] => {
      const path = `/traceIds/${at}`;
      if (!heads.has(traceId)) return [{ path, message: 'does not belong to this organization' }];
      return traceIds.indexOf(traceId) < at ? [{ path, message: 'is named twice' }] : [];
    });
    if (issues.length > 0) throw invalid(issues);
    return traceIds.map((traceId) => heads.get(traceId)!);
  }

  return {
    async createTestcases(
      identity: Identity,
      testsetId: string,
      { traceIds, mapping, dryRun: isDryRun = false }: TestcasesBody,
    ) {
      const { outcome } = await ask.catalog.testset(identity, { testsetId });
      if (outcome !== 'found') throw notFound('testset', testsetId);
      const heads = await headsOf(identity, traceIds);
      const fields = Object.entries(mapping).map(([field, source]) => ({
        field,
        ...placeOf(source),
      }));
      const places = [...new Set(fields.map(({ place }) => place))];
      const bytes = createByteCount(byKeyBytesMax);
      const items: { key: string; jsonData: JsonText }[] = [];
      for (const [at, stored] of heads.entries()) {
        const contents = await contentsOf(identity, stored.traceId, places);
        const head = await presentHead(identity, stored);
        const entries = fields.flatMap(({ field, place, pointer }) => {
          const root = { ...factsOf(head), ...contents[places.indexOf(place)] };
          const value = valueAt({ root, pointer });
          return value === undefined ? [] : [[field, value] as const];
        });
        const jsonData = JsonText.of(Object.fromEntries(entries));
        bytes.add(jsonData.bytes.length, `/traceIds/${at}`);
        items.push({ key: head.traceId, jsonData });
      }
      if (!isDryRun) await keep(identity, traceIds);
      const made = await testcases.createTestcasesByKey(identity, {
        testsetId,
        isDryRun,
        items,
      });
      return { items: made.items.map((item, at) => ({ traceId: traceIds[at]!, ...item })) };
    },

    async createRecords(identity: Identity, runId: string, { traceIds, select }: RecordsBody) {
      const { outcome } = await ask['run-records'].run(identity, { runId });
      if (outcome !== 'found') throw notFound('run', runId);
      const heads = await headsOf(identity, traceIds);
      const bytes = createByteCount(tracedBytesMax);
      const records: TracedRecord[] = [];
      const issues: Issue[] = [];
      for (const [at, head] of heads.entries()) {
        const place = select as ContentsPlace;
        const [contents] = await contentsOf(identity, head.traceId, [place]);
        const path = `/traceIds/${at}`;
        if (contents === undefined) {
          issues.push({ path, message: `has no ${wordsOf(place)}` });
          continue;
        }
        const record = recordOf(await presentHead(identity, head), contents);
        bytes.add(bytesOf(record), path);
        records.push(record);
      }
      if (issues.length > 0) throw invalid(issues);
      await keep(identity, traceIds);
      const made = await runRecords.createTracedRecords(identity, { runId, records });
      return { items: made.records.map((record, at) => ({ traceId: traceIds[at]!, ...record })) };
    },
  };
}

/** Counts the bytes of one call. */
function createByteCount(bytesMax: number) {
  let bytes = 0;
  return {
    /** @throws VALIDATION_ERROR at `path` where so many do not fit any more. */
    add(more: number, path: string): void {
      bytes += more;
      const message = `makes this request larger than ${bytesMax / 1024 / 1024} MiB`;
      if (bytes > bytesMax) throw invalid([{ path, message }]);
    },
  };
}

const wordsOf = (place: ContentsPlace): string =>
  place === 'last-llm' ? 'call of a model' : `span named ${place.slice('span:'.length)}`;

/** `span:retrieve/output/0` is the place `span:retrieve` and the pointer `/output/0`. */
function placeOf(source: string): { place: ContentsPlace; pointer: string } {
  const found = spanPlace.exec(source);
  if (!found) return { place: 'trace', pointer: source };
  return { place: found[1] as ContentsPlace, pointer: found[2]! };
}

const factsOf = ({ metadata, tags, sessionId, userId }: StoredHead) => ({
  metadata: Object.fromEntries(metadata),
  tags,
  ...(sessionId === null ? {} : { sessionId }),
  ...(userId === null ? {} : { userId }),
});
