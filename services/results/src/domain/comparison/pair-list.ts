import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { OutputType } from '@assay/contracts/metrics';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { PreviewRequest } from '@assay/contracts/preview';
import type { ErrorsCounting, PairGroup, PairOrder, Repeats } from '@assay/contracts/results';
import type { Dependencies } from '../dependencies.ts';
import { type ListedRecord, readListed, shownValue } from './listed-records.ts';
import { groupsOf } from './pair-groups.ts';
import {
  type ComparedMetric,
  checkComparable,
  comparedMetric,
  findSides,
  type Sides,
} from './sides.ts';
import { createStretches, descendingKey, type Order, stretchOf } from './stretches.ts';
import { gatherSides, type TestcaseValues, testcasesOfEither, valuesOf } from './values.ts';

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
      previews: PreviewRequest | undefined;
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
    const { items, read } = await readListed(runRecords, identity, {
      places: page,
      previews,
      recordsOf: (place) =>
        (['baseline', 'candidate'] as const).flatMap((side) =>
          place[side] ? [{ runId: sides[side].id, recordId: place[side].recordId }] : [],
        ),
      toItem: (place, records) => toPair(place, records, metric.candidate.outputType),
    });
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

type PairRecord = ListedRecord | null;

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
  records: Map<string, ListedRecord>,
  outputType: OutputType,
): ComparedPair {
  const shown = (side: TestcaseValues['baseline']) => shownValue(side?.value, outputType);
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

export interface Flip {
  testcaseId: string;
  direction: 'improved' | 'regressed';
  baselineValue: boolean | number;
  candidateValue: boolean | number;
  baseline: ListedRecord;
  candidate: ListedRecord;
  numRecords: ComparedPair['numRecords'];
}

/** Of a testcase that both runs have a value of. */
function toFlip(pair: ComparedPair, { candidate }: ComparedMetric): Flip {
  const isHigher = Number(pair.candidateValue) > Number(pair.baselineValue);
  const isImproved = isHigher !== (candidate.lowerIsBetter === true);
  return { ...(pair as Flip), direction: isImproved ? 'improved' : 'regressed' };
}
