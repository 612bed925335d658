import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { OutputType } from '@assay/contracts/metrics';
import type { Page, PageRequest } from '@assay/contracts/page';
import { pageBytesMax } from '@assay/runtime/within-bytes';
import type { StoredRecord } from '../../../store/record.ts';
import type { Dependencies } from '../../dependencies.ts';
import { withScores } from '../../records/records.ts';
import { createStretches, stretchOf } from './changed-pairs.ts';
import { type ComparedMetric, comparedMetric, findSides, type Sides } from './sides.ts';
import { commonTestcases, gatherSides, type Pair, pairsOf } from './values.ts';

/** Pairs whose records are read at once. */
const readTogether = 10;

/** Testcases whose value changed between two runs, in the order of their ids. */
export function createFlips({ store }: Pick<Dependencies, 'store'>) {
  const stretches = createStretches();

  async function changedPairs({ organizationId }: Identity, sides: Sides, metric: ComparedMetric, after: string | undefined) {
    const runIds = [sides.baseline.id, sides.candidate.id];
    const counts = await store.runs.countsOf(organizationId, runIds);
    const versions = [metric.baseline.metricVersionId, metric.candidate.metricVersionId];
    const key = [organizationId, ...runIds, ...runIds.map((id) => counts.get(id)!.changes), ...versions].join('/');
    return stretches(key, after, async () => {
      const gathered = await gatherSides(store.values, organizationId, { sides, metrics: [metric] });
      return stretchOf(pairsOf(commonTestcases(gathered), gathered, metric), after);
    });
  }

  /** The pairs with their records, a few at a time, and as many as fit into memory: how far it came is told with them. */
  async function flipsOf({ organizationId }: Identity, sides: Sides, metric: ComparedMetric, pairs: Pair[]) {
    const items: ReturnType<typeof toFlip>[] = [];
    let bytes = 0;
    let read = 0;
    while (read < pairs.length && bytes < pageBytesMax) {
      const some = pairs.slice(read, read + readTogether);
      const [baselines, candidates] = await Promise.all(
        (['baseline', 'candidate'] as const).map((side) =>
          store.records.findFew(
            organizationId,
            sides[side].id,
            some.map((pair) => pair[side].recordId),
          ),
        ),
      );
      for (const pair of some) {
        const [baseline, candidate] = [baselines!.found.get(pair.baseline.recordId), candidates!.found.get(pair.candidate.recordId)];
        // A record may have been deleted since.
        if (baseline && candidate) items.push(toFlip(pair, { baseline, candidate, outputType: metric.candidate.outputType }));
      }
      read += some.length;
      bytes += baselines!.bytes + candidates!.bytes;
    }
    return { items, read };
  }

  return async (
    identity: Identity,
    { metricId, ...runIds }: { baselineRunId: string; candidateRunId: string; metricId: string },
    { limit, after }: PageRequest,
  ) => {
    const sides = await findSides(store, identity, { ...runIds, place: '?' });
    const metric = comparedMetric(sides, metricId);
    if (!metric) throw invalidAt('?metricId', 'is not a metric of both runs');
    const { pairs, isLast } = await changedPairs(identity, sides, metric, after);
    const from = after === undefined ? 0 : pairs.findIndex(({ testcaseId }) => testcaseId > after);
    const page = from === -1 ? [] : pairs.slice(from, from + limit);
    const { items, read } = await flipsOf(identity, sides, metric, page);
    const last = page[read - 1];
    const hasMore = last !== undefined && (!isLast || last !== pairs.at(-1));
    return { items, next: hasMore ? last.testcaseId : null } satisfies Page<unknown>;
  };
}

function toFlip(
  { testcaseId, ...values }: Pair,
  { baseline, candidate, outputType }: { baseline: StoredRecord; candidate: StoredRecord; outputType: OutputType },
) {
  const shown = (value: number) => (outputType === 'boolean' ? value === 1 : value);
  return {
    testcaseId,
    direction: values.candidate.value > values.baseline.value ? ('improved' as const) : ('regressed' as const),
    baselineValue: shown(values.baseline.value),
    candidateValue: shown(values.candidate.value),
    baseline: withScores(baseline),
    candidate: withScores(candidate),
  };
}
