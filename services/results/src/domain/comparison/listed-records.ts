import type { Identity } from '@assay/contracts/define';
import type { OutputType } from '@assay/contracts/metrics';
import type { PreviewRequest } from '@assay/contracts/preview';
import { isNumeric } from '@assay/contracts/scale';
import { pageBytesMax } from '@assay/runtime/mongo/within-bytes';
import type { Dependencies } from '../dependencies.ts';

/** Testcases whose records are read at once. */
const readTogether = 10;

type ReadRecords = Pick<Dependencies['runRecords'], 'readRecords'>;

/** A record of a list of testcases. */
export type ListedRecord = Awaited<
  ReturnType<Dependencies['runRecords']['readRecords']>
>['records'][number];

interface NamedRecord {
  runId: string;
  recordId: string;
}

interface WantedList<Place, Item> {
  places: readonly Place[];
  /** The records of a testcase, one of a run at most. */
  recordsOf: (place: Place) => NamedRecord[];
  toItem: (place: Place, records: Map<string, ListedRecord>) => Item;
  previews: PreviewRequest | undefined;
}

/**
 * The testcases with their records, a few at a time, and as many as fit into memory: how far it came
 * is told with them. One of whose records one was deleted since is left out.
 */
export async function readListed<Place, Item>(
  runRecords: ReadRecords,
  identity: Identity,
  { places, recordsOf, toItem, previews }: WantedList<Place, Item>,
): Promise<{ items: Item[]; read: number }> {
  const items: Item[] = [];
  let bytes = 0;
  let read = 0;
  let together = readTogether;
  while (read < places.length && bytes < pageBytesMax) {
    const some = places.slice(read, read + together);
    const records = await readRecords(runRecords, identity, {
      named: some.flatMap(recordsOf),
      previews,
    });
    if (!records) {
      together = 1;
      continue;
    }
    for (const place of some)
      if (recordsOf(place).every(({ recordId }) => records.has(recordId)))
        items.push(toItem(place, records));
    read += some.length;
    for (const record of records.values()) bytes += bytesOf(record);
  }
  return { items, read };
}

/** The records by their ids. Undefined if they are too large to be read at once. */
async function readRecords(
  runRecords: ReadRecords,
  identity: Identity,
  { named, previews }: { named: NamedRecord[]; previews: PreviewRequest | undefined },
): Promise<Map<string, ListedRecord> | undefined> {
  const ofRuns = new Map<string, string[]>();
  for (const { runId, recordId } of named)
    ofRuns.set(runId, [...(ofRuns.get(runId) ?? []), recordId]);
  const replies = await Promise.all(
    [...ofRuns].map(([runId, recordIds]) =>
      runRecords.readRecords(identity, {
        runId,
        recordIds,
        ...(previews ? { previews } : {}),
      }),
    ),
  );
  if (replies.some(({ remaining }) => remaining.length > 0)) return undefined;
  return new Map(replies.flatMap(({ records }) => records.map((record) => [record.id, record])));
}

/** The memory that a record's payloads and scores take, in bytes. */
const bytesOf = ({ inputs, expected, outputs, scores }: ListedRecord): number =>
  [inputs, expected, outputs, ...scores.map(({ score }) => score)].reduce(
    (sum, { bytes }) => sum + bytes.length,
    0,
  );

/** A testcase's value as lists show it: of a boolean metric the share that passes, where it is one. */
export function shownValue(
  value: number | undefined,
  outputType: OutputType,
): boolean | number | null {
  if (value === undefined) return null;
  if (isNumeric(outputType) || (value !== 0 && value !== 1)) return value;
  return value === 1;
}
