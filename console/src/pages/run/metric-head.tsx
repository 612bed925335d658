import { getRouteApi, Link } from '@tanstack/react-router';
import { Popover } from '../../parts/popover.tsx';
import { outcomes } from '../../parts/score.tsx';
import { recordOutcomes } from './record-language.ts';
import styles from './run.module.css';
import type { MetricSummary } from './run-summary.ts';

const route = getRouteApi('/frame/projects/$projectId/runs/$runId');

/** The head of a metric's column: orders the records by it, or shows those of one outcome. */
export function MetricHead({ metric: { metricVersionId, name } }: { metric: MetricSummary }) {
  const { sort, order } = route.useSearch();
  const own = `value:${metricVersionId}`;
  const sign = sort === own ? (order === 'desc' ? ' ▼' : ' ▲') : '';
  return (
    <Popover kind="quiet" label={`${name}${sign}`} title={`${name}: order and filter`}>
      <ul className={styles.menu}>
        {(['desc', 'asc'] as const).map((direction) => (
          <li key={direction}>
            <Link
              from="/projects/$projectId/runs/$runId"
              search={(before) => ({ ...before, sort: own, order: direction, text: undefined })}
              resetScroll={false}
            >
              {direction === 'desc' ? '▼ Highest first' : '▲ Lowest first'}
            </Link>
          </li>
        ))}
        {recordOutcomes.map((outcome) => (
          <li key={outcome}>
            <Link
              from="/projects/$projectId/runs/$runId"
              search={(before) => ({
                ...before,
                metricVersionId,
                outcome,
                value: undefined,
                min: undefined,
                max: undefined,
                text: undefined,
              })}
              resetScroll={false}
            >
              Only {outcomes[outcome].sign} {outcomes[outcome].text}
            </Link>
          </li>
        ))}
      </ul>
    </Popover>
  );
}
