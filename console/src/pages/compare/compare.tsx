import { getRouteApi } from '@tanstack/react-router';
import { useComparison } from '../../api/comparison.ts';
import { useReading } from '../../api/query.ts';
import { useRunNames } from '../../api/run-names.ts';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Together } from '../../parts/together.tsx';
import { ViewsMenu } from '../../parts/views/views-menu.tsx';
import { countOf, visible } from '../../text/format.ts';
import { Breakdown } from './breakdown.tsx';
import styles from './compare.module.css';
import { CompareTools } from './compare-tools.tsx';
import { Leaderboard } from './leaderboard.tsx';
import { MetricRows } from './metric-rows.tsx';
import { Pairs } from './pairs.tsx';
import { Pairwise } from './pairwise.tsx';
import { RunChoice } from './run-choice.tsx';
import { RunLinks } from './run-links.tsx';
import { SystemFigures } from './system-figures.tsx';
import { Testcases } from './testcases.tsx';
import { Warnings } from './warnings.tsx';
import { WhatChanged } from './what-changed.tsx';

const route = getRouteApi('/frame/projects/$projectId/compare');

/** Whether one run is better than another, and by which testcases. */
export function Compare() {
  const { projectId } = route.useParams();
  const search = route.useSearch();
  const {
    baseline,
    candidate: candidates = [],
    metric: chosen,
    group,
    level,
    people,
    tab,
  } = search;
  const [candidate] = candidates;
  const runIds = [baseline, ...candidates].filter((runId) => runId !== undefined);
  const names = useRunNames(runIds);
  const comparison = useComparison({
    baseline,
    candidate,
    group,
    level,
    humanMetricId: people,
  });
  const metrics = comparison.data?.metrics ?? [];
  const metric = metrics.find(({ metricId }) => metricId === chosen) ?? metrics[0];
  const pairwise = baseline && candidate && (
    <Pairwise projectId={projectId} runIds={[baseline, ...candidates]} names={names} />
  );
  return (
    <Page
      title={titleOf([baseline, ...candidates], names)}
      kind="Compare"
      above={<RunLinks projectId={projectId} runIds={runIds} names={names} />}
      actions={
        comparison.data && (
          <CompareTools comparison={comparison.data} names={names} level={level} people={people} />
        )
      }
    >
      <Together>
        <div className={styles.choices}>
          <RunChoice projectId={projectId} names={names} />
          <ViewsMenu projectId={projectId} list="comparisons" />
        </div>
        {baseline && candidate && (
          <Tabs
            label="Parts of the comparison"
            tabs={[
              { text: 'Metrics', search: { tab: undefined, pair: undefined }, isCurrent: !tab },
              {
                text: 'Testcases',
                search: { tab: 'testcases', pair: undefined },
                isCurrent: tab === 'testcases',
              },
            ]}
          />
        )}
        {!baseline || !candidate ? (
          <Empty title="Choose two runs">
            A comparison says, for each metric, whether the candidate is better than the baseline or
            whether the difference may be luck.
          </Empty>
        ) : tab === 'testcases' ? (
          <Testcases baseline={baseline} candidates={candidates} names={names} />
        ) : candidates.length > 1 ? (
          <>
            <Leaderboard baseline={baseline} candidates={candidates} level={level} names={names} />
            <SystemFigures runIds={[baseline, ...candidates]} names={names} />
            {pairwise}
          </>
        ) : comparison.error ? (
          <Problem error={comparison.error} retry={() => void comparison.refetch()} />
        ) : (
          comparison.data && (
            <Together>
              <Warnings warnings={comparison.data.warnings} />
              {group && metric?.numGroups !== undefined && (
                <p className={styles.hint}>
                  Testcases with the same <code>{visible(group)}</code> are drawn together:{' '}
                  {countOf(metric.numGroups, 'group')} of {countOf(metric.paired, 'testcase')}. They
                  are not independent, so the interval is wider than without.
                </p>
              )}
              <MetricRows
                comparison={comparison.data}
                chosen={metric?.metricId}
                names={{ baseline: names(baseline), candidate: names(candidate) }}
                projectId={projectId}
              />
              {search.breakdown && (
                <Breakdown
                  {...{ baseline, candidate, group, level }}
                  breakdownBy={search.breakdown}
                />
              )}
              <SystemFigures runIds={[baseline, candidate]} names={names} />
              <WhatChanged baseline={baseline} candidate={candidate} />
              {pairwise}
              {metric && <Pairs comparison={comparison.data} metric={metric} names={names} />}
            </Together>
          )
        )}
      </Together>
      <p className={styles.hint} hidden={!comparison.isFetching || tab === 'testcases'}>
        Comparing …
      </p>
    </Page>
  );
}

/** The runs that are compared, the baseline first. */
const titleOf = (runIds: (string | undefined)[], names: (runId: string) => string): string =>
  runIds
    .filter((runId) => runId !== undefined)
    .map(names)
    .join(' → ') || 'Compare';

/** The run's system version, read once a run; used by "what changed". */
export const useRun = (runId: string) => useReading('/runs/:runId', { params: { runId } });
