import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { OutputType } from '@assay/contracts/metrics';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { PreviewRequest } from '@assay/contracts/preview';
import type { ErrorsCounting, PairGroup, PairOrder, Repeats } from '@assay/contracts/results';
import { isNumeric } from '@assay/contracts/scale';
import { pageBytesMax } from '@assay/runtime/mongo/within-bytes';
import type { Dependencies } from '../dependencies.ts';
import { groupsOf } from './pair-groups.ts';
import {
  type ComparedMetric,
  checkComparable,
  comparedMetric,
  findSides,
  type Sides,
} from './sides.ts';
import { createStretches, type Order, type Place, stretchOf } from './stretches.ts';
import { gatherSides, type TestcaseValues, testcasesOfEither, valuesOf } from './values.ts';

/** Testcases whose records are read at once. */
const readTogether = 10;

type FlippedRecord = Awaited<
  ReturnType<Dependencies['runRecords']['readRecords']>
>['records'][number];

type Previews = PreviewRequest | undefined;

/** Which testcases are listed, and in which order. */
export interface WantedPairs {
  show: PairGroup;
  order: PairOrder;
  repeats: Repeats;
  errors: ErrorsCounting;
}

/** Testcases of two runs with the records of both, by the group that they are of. */
export function createPairList({ runRecords, ask }: Pick<Dependencies, 'runRecords' | 'ask'>) {
  const stretches = createStretches();

  async function placesAfter(
    identity: Identity,
    {
      sides,
      metric,
      wanted: { show, order, repeats, errors },
      after,
    }: { sides: Sides; metric: ComparedMetric; wanted: WantedPairs; after: string | undefined },
  ) {
    const { baseline, candidate } = sides;
    const versions = [metric.baseline.metricVersionId, metric.candidate.metricVersionId];
    const of = [
      identity.organizationId,
      baseline.id,
      candidate.id,
      baseline.changes,
      candidate.changes,
      ...versions,
      show,
      order,
      repeats,
      errors,
    ].join('/');
    return stretches(of, after, async () => {
      const gathered = await gatherSides(runRecords, identity, {
        sides,
        metrics: [metric],
        repeats,
        errors,
      });
      const testcaseIds = [...testcasesOfEither(gathered)].sort();
      return stretchOf(valuesOf(testcaseIds, gathered, metric), {
        isShown: groupsOf(metric)[show],
        order: orders[order],
        after,
      });
    });
  }

  /**
   * The records of some testcases, by their ids. Undefined if they are too large to be read at once.
   */
  async function recordsOf(
    identity: Identity,
    { sides, places, previews }: { sides: Sides; places: Place[]; previews: Previews },
  ) {
    const replies = await Promise.all(
      (['baseline', 'candidate'] as const).map((side) =>
        runRecords.readRecords(identity, {
          runId: sides[side].id,
          recordIds: places.flatMap((place) => place[side]?.recordId ?? []),
          ...(previews ? { previews } : {}),
        }),
      ),
    );
    if (replies.some(({ remaining }) => remaining.length > 0)) return undefined;
    return new Map(replies.flatMap(({ records }) => records.map((record) => [record.id, record])));
  }

  /**
   * The testcases with their records, a few at a time, and as many as fit into memory: how far it
   * came is told with them.
   */
  async function pairsOf(
    identity: Identity,
    {
      sides,
      metric,
      places,
      previews,
    }: { sides: Sides; metric: ComparedMetric; places: Place[]; previews: Previews },
  ) {
    const items: ComparedPair[] = [];
    let bytes = 0;
    let read = 0;
    let together = readTogether;
    while (read < places.length && bytes < pageBytesMax) {
      const some = places.slice(read, read + together);
      const records = await recordsOf(identity, { sides, places: some, previews });
      if (!records) {
        together = 1;
        continue;
      }
      for (const place of some) {
        const pair = toPair(place, records, metric.candidate.outputType);
        // A record may have been deleted since.
        if ((pair.baseline || !place.baseline) && (pair.candidate || !place.candidate))
          items.push(pair);
      }
      read += some.length;
      for (const record of records.values()) bytes += bytesOf(record);
    }
    return { items, read };
  }

  async function pairsWithMetric(
    identity: Identity,
    {
      metricId,
      show,
      order,
      repeats,
      errors,
      previews,
      page: { limit, after },
      ...runIds
    }: WantedPairs & {
      baselineRunId?: string | undefined;
      candidateRunId: string;
      metricId: string;
      previews: Previews;
      page: PageRequest;
    },
  ): Promise<Page<ComparedPair> & { metric: ComparedMetric }> {
    const sides = await findSides({ runRecords, ask }, identity, { ...runIds, place: '?' });
    const metric = comparedMetric(sides, metricId);
    if (!metric) throw invalidAt('?metricId', 'is not a metric of both runs');
    checkComparable(metric, '?metricId');
    const wanted = { show, order, repeats, errors };
    const { places, isLast } = await placesAfter(identity, { sides, metric, wanted, after });
    const from = after === undefined ? 0 : places.findIndex(({ key }) => key > after);
    const page = from === -1 ? [] : places.slice(from, from + limit);
    const { items, read } = await pairsOf(identity, { sides, metric, places: page, previews });
    const last = page[read - 1];
    const hasMore = last !== undefined && (!isLast || last !== places.at(-1));
    return { items, next: hasMore ? last.key : null, metric };
  }

  async function pairs(
    identity: Identity,
    request: Parameters<typeof pairsWithMetric>[1],
  ): Promise<Page<ComparedPair>> {
    const { items, next } = await pairsWithMetric(identity, request);
    return { items, next };
  }

  /** The testcases that changed, in the order of their ids, each with its direction. */
  async function flips(
    identity: Identity,
    request: Omit<Parameters<typeof pairs>[1], 'show' | 'order'>,
  ): Promise<Page<Flip>> {
    const { items, next, metric } = await pairsWithMetric(identity, {
      ...request,
      show: 'changed',
      order: 'oldest',
    });
    return { items: items.map((item) => toFlip(item, metric)), next };
  }

  return { pairs, flips };
}

const orders: Record<PairOrder, Order> = {
  oldest: { keyOf: ({ testcaseId }) => testcaseId, isById: true },
  largest: {
    keyOf: ({ testcaseId, baseline, candidate }) =>
      `${descendingKey(Math.abs((candidate?.value ?? 0) - (baseline?.value ?? 0)))} ${testcaseId}`,
    isById: false,
  },
};

/** A text that sorts before those of smaller numbers, for numbers from 0 on. */
function descendingKey(value: number): string {
  // The bits of such numbers are in the order of the numbers.
  const bits = new BigUint64Array(Float64Array.of(value).buffer)[0]!;
  return (~bits & 0xffff_ffff_ffff_ffffn).toString(16).padStart(16, '0');
}

type PairRecord = FlippedRecord | null;

export interface ComparedPair {
  testcaseId: string;
  baselineValue: boolean | number | null;
  candidateValue: boolean | number | null;
  baseline: PairRecord;
  candidate: PairRecord;
  numRecords: { baseline: number; candidate: number };
}

function toPair(
  { testcaseId, baseline, candidate }: TestcaseValues,
  records: Map<string, FlippedRecord>,
  outputType: OutputType,
): ComparedPair {
  const shown = (side: TestcaseValues['baseline']) =>
    side ? (isNumeric(outputType) ? side.value : booleanOf(side.value)) : null;
  const recordOf = (side: TestcaseValues['baseline']) =>
    (side && records.get(side.recordId)) ?? null;
  return {
    testcaseId,
    baselineValue: shown(baseline),
    candidateValue: shown(candidate),
    baseline: recordOf(baseline),
    candidate: recordOf(candidate),
    numRecords: { baseline: baseline?.records ?? 0, candidate: candidate?.records ?? 0 },
  };
}

/** The share of records that pass, where some do and others do not. */
const booleanOf = (value: number): boolean | number =>
  value === 0 || value === 1 ? value === 1 : value;

export interface Flip {
  testcaseId: string;
  direction: 'improved' | 'regressed';
  baselineValue: boolean | number;
  candidateValue: boolean | number;
  baseline: FlippedRecord;
  candidate: FlippedRecord;
  numRecords: ComparedPair['numRecords'];
}

/** Of a testcase that both runs have a value of. */
function toFlip(pair: ComparedPair, { candidate }: ComparedMetric): Flip {
  const isHigher = Number(pair.candidateValue) > Number(pair.baselineValue);
  const isImproved = isHigher !== (candidate.lowerIsBetter === true);
  return { ...(pair as Flip), direction: isImproved ? 'improved' : 'regressed' };
}

/** The memory that a record's payloads and scores take, in bytes. */
const bytesOf = ({ inputs, expected, outputs, scores }: FlippedRecord): number =>
  [inputs, expected, outputs, ...scores.map(({ score }) => score)].reduce(
    (sum, { bytes }) => sum + bytes.length,
    0,
  );
