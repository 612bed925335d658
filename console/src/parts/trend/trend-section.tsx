import type { MetricResult } from '../../api/run-results.ts';
import { Empty } from '../empty.tsx';
import { Problem } from '../problem.tsx';
import { Skeleton } from '../skeleton.tsx';
import styles from './trend.module.css';
import { TrendCharts } from './trend-charts.tsx';
import { TrendFilters } from './trend-filters.tsx';
import { metricsOf, type Trends } from './trend-points.ts';
import { type SetTrendSearch, type TrendSearch, timeOf } from './trend-search.ts';
import { useTrends } from './use-trends.ts';

/** The height of a chart, with its name and its border. */
const chartRem = 14.25;

/** A section of charts: the scores of a testset's runs over time, by one metric or by all. */
export function TrendSection({
  projectId,
  title,
  search,
  setSearch,
  systemId,
  metricId,
}: {
  projectId: string;
  title: string;
  search: TrendSearch;
  setSearch: SetTrendSearch;
  /** Only runs of this system. */
  systemId?: string;
  /** Only this metric. */
  metricId?: string;
}) {
  const { testset } = search;
  const trends = useTrends(projectId, { ...search, systemId });
  const shown = trends.data && ofOneTestset(trends.data, testset);
  const metrics = shown ? metricsOf(shown).filter(isWanted(metricId)) : [];
  return (
    <section aria-label={title} className={styles.section}>
      <header className={styles.filters}>
        <h2>{title}</h2>
        <TrendFilters
          projectId={projectId}
          testset={
            testset === 'none'
              ? undefined
              : (testset ?? shown?.points.at(-1)?.run.testsetId ?? undefined)
          }
          search={search}
          setSearch={setSearch}
        />
      </header>
      {trends.error && <Problem error={trends.error} retry={() => void trends.refetch()} />}
      {!shown && !trends.error && <Skeleton rem={chartRem} />}
      {shown && metrics.length === 0 && (
        <Skeleton rem={chartRem}>
          <Empty title="No scores in this time">
            Each run is a point here, some seconds after its last score.
          </Empty>
        </Skeleton>
      )}
      {shown && metrics.length > 0 && (
        <TrendCharts
          projectId={projectId}
          trends={shown}
          metrics={metrics}
          range={search.from ? timeOf(search) : {}}
          onSpan={(from, to) =>
            setSearch({ from: new Date(from).toISOString(), to: new Date(to).toISOString() })
          }
        />
      )}
      {shown?.isCut && <p className={styles.hint}>Older runs are not shown: choose less time.</p>}
    </section>
  );
}

const isWanted =
  (metricId: string | undefined) =>
  (metric: MetricResult): boolean =>
    metricId === undefined || metric.metricId === metricId;

/** The runs of the testset that is chosen, or else of the newest run: others cannot be compared. */
function ofOneTestset(trends: Trends, testset: string | undefined): Trends {
  const newest = trends.points.at(-1)?.run.testsetId ?? null;
  const wanted = testset === undefined ? newest : testset === 'none' ? null : testset;
  return { ...trends, points: trends.points.filter(({ run }) => run.testsetId === wanted) };
}
