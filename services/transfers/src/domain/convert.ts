import type { Line, LineKind } from '@assay/contracts/project-file';
import { systemMetrics } from '@assay/contracts/run-records';
import type { Members } from './members.ts';

export interface Conversion {
  newIdOf: (id: string) => string;
  members: Pick<Members, 'assignee'>;
}

type ConvertedKind = Exclude<
  LineKind,
  'header' | 'project' | 'member' | 'attachment' | 'attachmentBytes' | 'end'
>;

const isSystemMetric = (metricId: string): boolean =>
  systemMetrics.some(({ id }) => id === metricId);

/** Gives the lines of a file their new ids. All else stays as it is, authors too. */
export function createConverters({ newIdOf, members }: Conversion): {
  [Kind in ConvertedKind]: (line: Line<Kind>) => Line<Kind>;
} {
  const orNull = (id: string | null): string | null => (id === null ? null : newIdOf(id));
  const ofVersion = <Item extends { metricVersionId: string }>(item: Item): Item => ({
    ...item,
    metricVersionId: newIdOf(item.metricVersionId),
  });

  /** The metrics of the records themselves have names in place of ids. */
  const ofResult = <Item extends { metricId: string; metricVersionId: string }>(
    item: Item,
  ): Item =>
    isSystemMetric(item.metricId) ? item : { ...ofVersion(item), metricId: newIdOf(item.metricId) };

  return {
    testset: (line) => ({
      ...line,
      id: newIdOf(line.id),
      baselineRunId: orNull(line.baselineRunId),
    }),
    testcase: (line) => ({ ...line, id: newIdOf(line.id), testsetId: newIdOf(line.testsetId) }),
    testcaseAnnotation: (line) => ({
      ...line,
      id: newIdOf(line.id),
      testcaseId: newIdOf(line.testcaseId),
      testsetId: newIdOf(line.testsetId),
    }),
    system: (line) => ({
      ...line,
      id: newIdOf(line.id),
      productionVersionId: newIdOf(line.productionVersionId),
    }),
    systemVersion: (line) => ({ ...line, id: newIdOf(line.id), systemId: newIdOf(line.systemId) }),
    metric: (line) => ({ ...line, id: newIdOf(line.id), versionId: newIdOf(line.versionId) }),
    metricVersion: (line) => ({
      ...line,
      id: newIdOf(line.id),
      metricId: newIdOf(line.metricId),
    }),
    metricGroup: (line) => ({
      ...line,
      id: newIdOf(line.id),
      metricIds: line.metricIds.map(newIdOf),
    }),
    monitor: (line) => ({
      ...line,
      id: newIdOf(line.id),
      metricIds: line.metricIds.map(newIdOf),
    }),
    run: (line) => ({
      ...line,
      id: newIdOf(line.id),
      testsetId: orNull(line.testsetId),
      systemId: orNull(line.systemId),
      systemVersionId: orNull(line.systemVersionId),
      metrics: line.metrics.map((metric) => ({
        ...ofVersion(metric),
        metricId: newIdOf(metric.metricId),
      })),
      stopping: line.stopping && {
        ...line.stopping,
        compareWith: newIdOf(line.stopping.compareWith),
        metricId: newIdOf(line.stopping.metricId),
        orderId: newIdOf(line.stopping.orderId),
      },
      expired: line.expired && {
        ...line.expired,
        results: { ...line.expired.results, metrics: line.expired.results.metrics.map(ofResult) },
      },
    }),
    record: (line) => ({
      ...line,
      id: newIdOf(line.id),
      runId: newIdOf(line.runId),
      testcaseId: orNull(line.testcaseId),
      tags: line.tags.map((tag) => ({ ...tag, id: newIdOf(tag.id) })),
      assignees: assigneesOf(line),
      scores: line.scores.map((score) => ({
        ...ofVersion(score),
        provenance: score.provenance && ofVersion(score.provenance),
      })),
      pending: line.pending.map(newIdOf),
      awaited: line.awaited.map(newIdOf),
      failures: line.failures.map(ofVersion),
      stopped: line.stopped?.map(newIdOf),
      errored: line.errored?.map(newIdOf),
      judged: line.judged?.map(ofVersion),
      cacheExceptions: line.cacheExceptions?.map(newIdOf),
    }),
    annotation: (line) => ({
      ...line,
      id: newIdOf(line.id),
      recordId: newIdOf(line.recordId),
      comparedRecordId: line.comparedRecordId && newIdOf(line.comparedRecordId),
    }),
    labelDraw: (line) => ({
      ...line,
      baselineRunId: newIdOf(line.baselineRunId),
      candidateRunId: newIdOf(line.candidateRunId),
      metricId: newIdOf(line.metricId),
      humanMetricId: newIdOf(line.humanMetricId),
      testcases: line.testcases.map((drawn) => ({
        ...drawn,
        testcaseId: newIdOf(drawn.testcaseId),
        baselineRecordId: newIdOf(drawn.baselineRecordId),
        candidateRecordId: newIdOf(drawn.candidateRecordId),
      })),
    }),
    pairwiseComparison: (line) => ({
      ...line,
      id: newIdOf(line.id),
      metricId: newIdOf(line.metricId),
      metricVersionId: newIdOf(line.metricVersionId),
      runIds: line.runIds.map(newIdOf),
    }),
    pairJudgement: (line) => ({
      ...line,
      id: newIdOf(line.id),
      comparisonId: newIdOf(line.comparisonId),
      testcaseId: newIdOf(line.testcaseId),
      baselineRunId: newIdOf(line.baselineRunId),
      candidateRunId: newIdOf(line.candidateRunId),
      baselineRecordId: newIdOf(line.baselineRecordId),
      candidateRecordId: newIdOf(line.candidateRecordId),
    }),
  };

  /** A record is assigned to a member once, also if several of the file are the same one here. */
  function assigneesOf({ assignees }: Line<'record'>): Line<'record'>['assignees'] {
    const seen = new Set<string>();
    return assignees.flatMap((assignment) => {
      const assigneeUserId = members.assignee(assignment.assigneeUserId);
      if (seen.has(assigneeUserId)) return [];
      seen.add(assigneeUserId);
      return [
        {
          ...assignment,
          id: newIdOf(assignment.id),
          assigneeUserId,
        },
      ];
    });
  }
}
