import { invalidAt } from '@assay/contracts/failure';
import type { Line } from '@assay/contracts/project-file';
import { atLines } from './read-line.ts';

/**
 * Checks that the file has the metrics that its monitors score by. Monitors come before metrics, so
 * only the end of the file tells. Of a deleted metric the file has the versions.
 */
export function createMonitoredMetrics() {
  const metricIds = new Set<string>();
  /** Where each metric is named first. */
  const placeOf = new Map<string, { line: number; path: string }>();
  return {
    /** Notes the metrics of the line that has this number in the file. */
    note(part: Line<'metric' | 'metricVersion' | 'monitor'>, line: number): void {
      if (part.kind === 'metric') metricIds.add(part.id.toLowerCase());
      else if (part.kind === 'metricVersion') metricIds.add(part.metricId.toLowerCase());
      else
        for (const [index, id] of part.metricIds.entries())
          if (!placeOf.has(id.toLowerCase()))
            placeOf.set(id.toLowerCase(), { line, path: `/metricIds/${index}` });
    },
    /** @throws VALIDATION_ERROR with the line of a monitor whose metric has no line. */
    check(): void {
      for (const [metricId, { line, path }] of placeOf)
        if (!metricIds.has(metricId))
          throw atLines(invalidAt(path, 'must be the id of a metric that the file has'), line);
    },
  };
}
