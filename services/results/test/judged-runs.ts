import type { useRunRecords } from '@assay/testing/run-records';
import { expect } from 'vitest';

type Value = boolean | number;

export interface JudgedRun {
  id: string;
  metricVersionIds: string[];
  recordIds: string[];
}

/** Runs whose first metric is a judge's; judgements are handed over as the scoring service would. */
export function useJudgedRuns({
  request,
  newMetric,
  newRun,
  newRecord,
}: Pick<ReturnType<typeof useRunRecords>, 'request' | 'newMetric' | 'newRun' | 'newRecord'>) {
  return {
    newJudge: (outputType = 'boolean') =>
      newMetric({ evalType: 'ai', outputType, promptTemplate: 'Judge {{ outputs.answer }}' }),
    /** A run with this many records, or with one of each testcase. */
    async newJudgedRun({
      judge,
      people,
      records,
      testcaseIds = Array.from({ length: records ?? 0 }, () => undefined),
      ...body
    }: {
      judge: string;
      people?: string;
      records?: number;
      testcaseIds?: (string | undefined)[];
      name?: string;
      testsetId?: string;
    }): Promise<JudgedRun> {
      const run = await newRun({ metricIds: people ? [judge, people] : [judge], ...body });
      const recordIds: string[] = [];
      for (const testcaseId of testcaseIds)
        recordIds.push((await newRecord(run.id, testcaseId ? { testcaseId } : {})).body.id);
      return { id: run.id, metricVersionIds: run.metricVersionIds, recordIds };
    },
    /** The judge's value of each record, or none where undefined. */
    async say(run: JudgedRun, values: (Value | undefined)[]): Promise<void> {
      const metricVersionId = run.metricVersionIds[0]!;
      const provenance = { metricVersionId, evaluator: 'judge', durationMs: 1, attempts: 1 };
      const judgements = values.flatMap((value, index) => {
        if (value === undefined) return [];
        const outcome = { kind: 'score', source: 'ai', provenance, value, votes: [value] };
        return [
          {
            recordId: run.recordIds[index]!,
            metricVersionId,
            outcome: { ...outcome, reasoning: `Because of ${index}.` },
          },
        ];
      });
      const reply = await request(
        'POST',
        '/internal/judgements',
        { runId: run.id, judgements },
        { identity: { role: 'service' } },
      );
      expect(reply.body.accepted).toBe(judgements.length);
    },
    /** Has people score each record: by the judge's own metric, or by another one. */
    async label(
      run: JudgedRun,
      values: (Value | undefined)[],
      metricVersionId = run.metricVersionIds[0]!,
    ): Promise<void> {
      const put = async (value: Value | undefined, index: number) => {
        if (value === undefined) return;
        const path = `/records/${run.recordIds[index]}/scores/${metricVersionId}`;
        expect((await request('PUT', path, { score: { value } })).status).toBe(200);
      };
      await Promise.all(values.map(put));
    },
  };
}
