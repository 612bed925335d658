import { systemMetricIds } from '@assay/client/system-metrics';
import { useRunResults } from '../../api/run-results.ts';
import { ScrolledTable } from '../../parts/scrolled-table.tsx';
import { formatDuration } from '../../text/format.ts';
import { costText, tokensText } from '../../text/measured.ts';

/**
 * The latency, tokens and cost of the system in each run, the baseline first; nothing where no record has them.
 */
export function SystemFigures({
  runIds,
  names,
}: {
  runIds: string[];
  names: (runId: string) => string;
}) {
  const runs = runIds.map((id) => ({ id, status: 'completed' as const }));
  const measured = useRunResults(runs, systemMetricIds);
  const countOf = (runId: string, metricId: string) =>
    measured.resultOf(runId, metricId)?.count ?? 0;
  if (!runIds.some((runId) => systemMetricIds.some((metricId) => countOf(runId, metricId) > 0)))
    return null;
  return (
    <ScrolledTable label="Latency, tokens and cost">
      <thead>
        <tr>
          <th scope="col">Run</th>
          <th scope="col" title="Half of the records stay below it">
            Latency, p50
          </th>
          <th scope="col" title="95 in 100 records stay below it">
            p95
          </th>
          <th scope="col">Tokens</th>
          <th scope="col">Cost</th>
        </tr>
      </thead>
      <tbody>
        {runIds.map((runId) => {
          const latency = measured.resultOf(runId, 'latency')?.percentiles;
          return (
            <tr key={runId}>
              <th scope="row">{names(runId)}</th>
              <td>{latency ? formatDuration(latency.p50) : '–'}</td>
              <td>{latency ? formatDuration(latency.p95) : '–'}</td>
              <td>{tokensText(measured, runId)}</td>
              <td>{costText(measured.resultOf(runId, 'cost'))}</td>
            </tr>
          );
        })}
      </tbody>
    </ScrolledTable>
  );
}
