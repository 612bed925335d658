import { newId } from '@assay/runtime/ids';
import { fileOf, header, projectLine, runLine } from './written-file.ts';

const result = (name: string, mean: number) => ({
  name,
  outputType: 'boolean',
  count: 4,
  records: 4,
  failed: 0,
  errored: 0,
  invalid: 0,
  notApplicable: 0,
  passRate: mean,
  mean,
  confidenceInterval: { low: 0.3, high: 0.95, level: 0.95 },
});

/** The file of a project whose run `Old` has expired, with the result of one metric. */
export function expiredProjectFile(): string {
  const metricId = newId();
  const metricVersionId = newId();
  const expired = {
    at: '2026-03-01T08:00:00.000Z',
    counts: {
      records: 4,
      pending: 0,
      awaited: 0,
      failed: 0,
      stopped: 0,
      errored: 0,
      scored: 4,
      invalid: 0,
      notApplicable: 0,
      costNanoUsd: 0,
      cachedAnswers: 0,
      changes: 8,
    },
    results: {
      metrics: [
        { metricId, metricVersionId, ...result('Correct', 0.75) },
        { metricId: 'latency', metricVersionId: 'latency', ...result('Latency in ms', 0.5) },
      ],
      errors: { ...result('errors', 0), lowerIsBetter: true, passRate: null },
    },
  };
  const pinned = {
    metricVersionId,
    metricId,
    name: 'Correct',
    evalType: 'heuristic',
    outputType: 'boolean',
    passingThreshold: null,
    isScoredByService: false,
    evalModelName: null,
    annotators: 1,
  };
  const run = { ...runLine(newId()), name: 'Old', metrics: [pinned], expired };
  return fileOf(header, projectLine(), JSON.stringify(run));
}
