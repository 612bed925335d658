import type { Identity } from '@assay/contracts/define';
import { invalidAt } from '@assay/contracts/failure';
import type { OutputType } from '@assay/contracts/metrics';
import type { Page, PageRequest } from '@assay/contracts/page';
import type { PreviewRequest } from '@assay/contracts/preview';
import { pageBytesMax } from '@assay/runtime/mongo/within-bytes';
import type { Dependencies } from '../dependencies.ts';
import { createStretches, stretchOf } from './changed-pairs.ts';
import { type ComparedMetric, comparedMetric, findSides, type Sides } from './sides.ts';
import { commonTestcases, gatherSides, type Pair, pairsOf } from './values.ts';

/** Pairs whose records are read at once. */
const readTogether = 10;

type FlippedRecord = Awaited<
  ReturnType<Dependencies['runRecords']['readRecords']>
>['records'][number];

type Previews = PreviewRequest | undefined;

/** Testcases whose value changed between two runs, in the order of their ids. */
export function createFlips({ runRecords, ask }: Pick<Dependencies, 'runRecords' | 'ask'>) {
  const stretches = createStretches();

  async function changedPairs(
    identity: Identity,
    sides: Sides,
    metric: ComparedMetric,
    after: string | undefined,
  ) {
    const { baseline, candidate } = sides;
    const versions = [metric.baseline.metricVersionId, metric.candidate.metricVersionId];
    const key = [
      identity.organizationId,
      baseline.id,
      candidate.id,
      baseline.changes,
      candidate.changes,
      ...versions,
    ].join('/');
    return stretches(key, after, async () => {
      const gathered = await gatherSides(runRecords, identity, { sides, metrics: [metric] });
      return stretchOf(pairsOf(commonTestcases(gathered), gathered, metric), after);
    });
  }

  /**
   * The records of some pairs, by their ids. Undefined if they are too large to be read at once.
   */
  async function recordsOf(
    identity: Identity,
    { sides, pairs, previews }: { sides: Sides; pairs: Pair[]; previews: Previews },
  ) {
    const replies = await Promise.all(
      (['baseline', 'candidate'] as const).map((side) =>
        runRecords.readRecords(identity, {
          runId: sides[side].id,
          recordIds: pairs.map((pair) => pair[side].recordId),
          ...(previews ? { previews } : {}),
        }),
      ),
    );
    if (replies.some(({ remaining }) => remaining.length > 0)) return undefined;
    return new Map(replies.flatMap(({ records }) => records.map((record) => [record.id, record])));
  }

  /**
   * The pairs with their records, a few at a time, and as many as fit into memory: how far it came
   * is told with them.
   */
  async function flipsOf(
    identity: Identity,
    {
      sides,
      metric,
      pairs,
      previews,
    }: { sides: Sides; metric: ComparedMetric; pairs: Pair[]; previews: Previews },
  ) {
    const items: ReturnType<typeof toFlip>[] = [];
    let bytes = 0;
    let read = 0;
    let together = readTogether;
    while (read < pairs.length && bytes < pageBytesMax) {
      const some = pairs.slice(read, read + together);
      const records = await recordsOf(identity, { sides, pairs: some, previews });
      if (!records) {
        together = 1;
        continue;
      }
      for (const pair of some) {
        const [baseline, candidate] = [
          records.get(pair.baseline.recordId),
          records.get(pair.candidate.recordId),
        ];
        // A record may have been deleted since.
        if (baseline && candidate)
          items.push(
            toFlip(pair, { baseline, candidate, outputType: metric.candidate.outputType }),
          );
      }
      read += some.length;
      for (const record of records.values()) bytes += bytesOf(record);
    }
    return { items, read };
  }

  return async (
    identity: Identity,
    {
      metricId,
      previews,
      page: { limit, after },
      ...runIds
    }: {
      baselineRunId?: string | undefined;
      candidateRunId: string;
      metricId: string;
      previews: Previews;
      page: PageRequest;
    },
  ) => {
    const sides = await findSides({ runRecords, ask }, identity, { ...runIds, place: '?' });
    const metric = comparedMetric(sides, metricId);
    if (!metric) throw invalidAt('?metricId', 'is not a metric of both runs');
    const { pairs, isLast } = await changedPairs(identity, sides, metric, after);
    const from = after === undefined ? 0 : pairs.findIndex(({ testcaseId }) => testcaseId > after);
    const page = from === -1 ? [] : pairs.slice(from, from + limit);
    const { items, read } = await flipsOf(identity, { sides, metric, pairs: page, previews });
    const last = page[read - 1];
    const hasMore = last !== undefined && (!isLast || last !== pairs.at(-1));
    return { items, next: hasMore ? last.testcaseId : null } satisfies Page<unknown>;
  };
}

function toFlip(
  { testcaseId, ...values }: Pair,
  {
    baseline,
    candidate,
    outputType,
  }: { baseline: FlippedRecord; candidate: FlippedRecord; outputType: OutputType },
) {
  const shown = (value: number) => (outputType === 'boolean' ? value === 1 : value);
  return {
    testcaseId,
    direction:
      values.candidate.value > values.baseline.value
        ? ('improved' as const)
        : ('regressed' as const),
    baselineValue: shown(values.baseline.value),
    candidateValue: shown(values.candidate.value),
    baseline,
    candidate,
  };
}

/** The memory that a record's payloads and scores take, in bytes. */
const bytesOf = ({ inputs, expected, outputs, scores }: FlippedRecord): number =>
  [inputs, expected, outputs, ...scores.map(({ score }) => score)].reduce(
    (sum, { bytes }) => sum + bytes.length,
    0,
  );
