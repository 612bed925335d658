import { getRouteApi } from '@tanstack/react-router';
import { useReading } from '../../../api/query.ts';
import { Empty } from '../../../parts/empty.tsx';
import { Choice } from '../../../parts/field.tsx';
import { Problem } from '../../../parts/problem.tsx';
import { Together } from '../../../parts/together.tsx';
import { visible } from '../../../text/format.ts';
import styles from '../testset.module.css';
import { type ComparedRun, RanTestcases } from './ran-testcases.tsx';

const route = getRouteApi('/frame/projects/$projectId/testsets/$testsetId');

/** Runs that are looked at, and those of them that are compared: as many as the service compares. */
const readMax = 50;
const comparedMax = 8;

/** The testcases that fail in most of the newest runs, and those that pass and fail by turns. */
export function Hardest({ projectId, testsetId }: { projectId: string; testsetId: string }) {
  const { metric: chosen } = route.useSearch();
  const navigate = route.useNavigate();
  const reading = useReading('/projects/:projectId/runs', {
    params: { projectId },
    query: { testsetId, limit: readMax },
  });
  const runs = (reading.data?.data ?? []).filter(
    ({ numScores, expiredAt }) => numScores > 0 && expiredAt === undefined,
  );
  const [newest] = runs;
  const summary = useReading('/runs/:runId/summary', {
    params: { runId: newest?.id ?? '' },
    isEnabled: newest !== undefined,
  });
  const failed = [reading, summary].find(({ error }) => error);
  if (failed) return <Problem error={failed.error!} retry={() => void failed.refetch()} />;
  if (reading.isPending || (newest && summary.isPending)) return null;
  const metrics = summary.data?.metrics ?? [];
  const metric = metrics.find(({ metricId }) => metricId === chosen) ?? metrics[0];
  const measured = runs.filter(({ metricIds }) => metric && metricIds.includes(metric.metricId));
  if (!metric || measured.length < 2)
    return (
      <Empty title="Not enough runs">
        Two runs with the same metric tell which testcases are hard. This testset has fewer.
      </Empty>
    );
  const ofVersion = measured.filter(
    ({ systemVersionId }) =>
      systemVersionId !== null && systemVersionId === measured[0]!.systemVersionId,
  );
  return (
    <>
      <div className={styles.choices}>
        <Choice
          label="Metric"
          value={metric.metricId}
          onChange={({ target }) =>
            void navigate({ search: (before) => ({ ...before, metric: target.value }) })
          }
        >
          {metrics.map(({ metricId, metricVersionId, name }) => (
            <option key={metricVersionId} value={metricId}>
              {visible(name)}
            </option>
          ))}
        </Choice>
      </div>
      <Together>
        <RanTestcases
          {...{ projectId, metricId: metric.metricId }}
          title="Fail in at least half of the newest runs"
          none="No testcase fails in half of these runs."
          order="failures"
          runs={measured.slice(0, comparedMax)}
          isShown={isHard}
        />
        <RanTestcases
          {...{ projectId, metricId: metric.metricId }}
          title="Pass and fail in runs of the same version"
          none="No testcase changes between runs of the newest version, or that version has one run alone."
          order="disagreement"
          runs={ofVersion.slice(0, comparedMax)}
          isShown={isFlaky}
        />
      </Together>
    </>
  );
}

function isHard(runs: ComparedRun[]): boolean {
  const known = runs.filter(({ passes }) => passes !== null);
  return known.length > 0 && known.filter(({ passes }) => !passes).length >= known.length / 2;
}

const isFlaky = (runs: ComparedRun[]): boolean =>
  runs.some(({ passes }) => passes === true) && runs.some(({ passes }) => passes === false);
