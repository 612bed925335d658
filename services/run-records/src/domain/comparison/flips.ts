import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { OutputType } from '@assay/contracts/metrics';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { StoredRecord } from '../../store/record.ts';
import type { StoredRun } from '../../store/runs.ts';
import type { Parts } from '../parts.ts';
import { withScores } from '../records.ts';
import { createStretches, stretchOf } from './changed-pairs.ts';
import { type ComparedMetric, comparedMetric, findSides, type Sides } from './sides.ts';
import { commonTestcases, gatherSides, type Pair, pairsOf } from './values.ts';

/** Testcases whose value changed between two runs, in the order of their ids. */
export function createFlips({ store }: Pick<Parts, 'store'>) {
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

  async function recordsOf({ organizationId }: Identity, run: StoredRun, ids: string[]): Promise<Map<string, StoredRecord>> {
    return new Map((await store.records.findMany(organizationId, run.id, ids)).map((record) => [record.id, record]));
  }

  return async (
    identity: Identity,
    { metricId, ...runIds }: { baselineRunId: string; candidateRunId: string; metricId: string },
    { limit, after }: PageRequest,
  ) => {
    const sides = await findSides(store, identity, { ...runIds, place: '?' });
    const metric = comparedMetric(sides, metricId);
    if (!metric) throw invalidAt('?metricId', 'is no metric of both runs');
    const { pairs, isLast } = await changedPairs(identity, sides, metric, after);
    const from = after === undefined ? 0 : pairs.findIndex(({ testcaseId }) => testcaseId > after);
    const page = from === -1 ? [] : pairs.slice(from, from + limit);
    const [baselines, candidates] = await Promise.all([
      recordsOf(
        identity,
        sides.baseline,
        page.map(({ baseline }) => baseline.recordId),
      ),
      recordsOf(
        identity,
        sides.candidate,
        page.map(({ candidate }) => candidate.recordId),
      ),
    ]);
    const items = page.flatMap((pair) => {
      const [baseline, candidate] = [baselines.get(pair.baseline.recordId), candidates.get(pair.candidate.recordId)];
      // A record may have been deleted since.
      return baseline && candidate ? [toFlip(pair, { baseline, candidate, outputType: metric.candidate.outputType })] : [];
    });
    const hasMore = page.length > 0 && (!isLast || page.at(-1) !== pairs.at(-1));
    return { items, next: hasMore ? page.at(-1)!.testcaseId : null } satisfies Page<unknown>;
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
