import { systemMetricIds } from '@assay/client/system-metrics';
import { Link } from '@tanstack/react-router';
import { useNames } from '../../api/names.ts';
import { useRunResults } from '../../api/run-results.ts';
import { Id } from '../../parts/copy.tsx';
import { Time } from '../../parts/time.tsx';
import { visible } from '../../text/format.ts';
import { costText, latencyText, tokensText } from '../../text/measured.ts';
import { labelTexts } from '../../text/names.ts';
import type { RunReply } from './use-live-run.ts';

/** The testset, system version, labels, maker and time of a run, each a way there. */
export function RunFacts({ projectId, run }: { projectId: string; run: RunReply }) {
  const { testsetId, systemId, systemVersionId, createdByUserId } = run;
  const names = useNames(projectId, [testsetId, systemId, systemVersionId]);
  const system = systemId && names.system(systemId);
  return (
    <>
      {testsetId && (
        <Link
          to="/projects/$projectId/testsets/$testsetId"
          params={{ projectId, testsetId }}
          title="The testset"
        >
          {visible(names.testset(testsetId))}
        </Link>
      )}
      {systemId && systemVersionId && (
        <Link
          to="/projects/$projectId/systems/$systemId"
          params={{ projectId, systemId }}
          search={{ version: systemVersionId }}
          title="The version of the system"
        >
          {visible([system, names.version(systemVersionId)].filter(Boolean).join(' '))}
        </Link>
      )}
      {labelTexts(run).map((label) => (
        <Link
          key={label}
          to="/projects/$projectId/runs"
          params={{ projectId }}
          search={{ label: [label] }}
          title="Runs with this label"
        >
          {visible(label)}
        </Link>
      ))}
      {createdByUserId && <span>{names.member(createdByUserId)}</span>}
      <Measured run={run} />
      <Time at={run.createdAt} />
      <Id id={run.id} />
    </>
  );
}

/** The latency, tokens and cost of the system, where records have them. */
function Measured({ run }: { run: RunReply }) {
  const measured = useRunResults([run], systemMetricIds);
  const isThere = (metricId: string) => (measured.resultOf(run.id, metricId)?.count ?? 0) > 0;
  return (
    <>
      {isThere('latency') && (
        <span title="Latency: half of the records stay below the first, 95 in 100 below the second">
          {latencyText(measured.resultOf(run.id, 'latency'))}
        </span>
      )}
      {isThere('input_tokens') && <span>{tokensText(measured, run.id)} tokens</span>}
      {isThere('cost') && (
        <span title="The cost of the system">{costText(measured.resultOf(run.id, 'cost'))}</span>
      )}
    </>
  );
}
