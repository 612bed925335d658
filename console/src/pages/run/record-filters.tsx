import { isNumeric } from '@assay/contracts/scale';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useKnown } from '../../api/known.ts';
import { useMembers } from '../../api/members.ts';
import styles from '../../parts/filter/filter.module.css';
import { FilterBar } from '../../parts/filter/filter-bar.tsx';
import { Popover } from '../../parts/popover.tsx';
import { ViewsMenu } from '../../parts/views/views-menu.tsx';
import { noRecordFilters, type RecordState, recordLanguage } from './record-language.ts';
import type { MetricSummary } from './run-summary.ts';

const route = getRouteApi('/frame/projects/$projectId/runs/$runId');

/** The tag that the console puts on records to talk about. */
const discussed = 'discuss';

/** Which records of a run are listed: by a metric's outcome, tags, assignee, annotations, text. */
export function RecordFilters({
  metrics,
  areMetricsRead,
}: {
  metrics: MetricSummary[];
  areMetricsRead: boolean;
}) {
  const { projectId } = route.useParams();
  const { tab: _tab, ...state } = route.useSearch();
  const navigate = route.useNavigate();
  const membersRead = useMembers();
  const members = membersRead.data?.data ?? [];
  const tags = useKnown('/records/:recordId/tags').flatMap(({ data }) =>
    data.map(({ text }) => text),
  );
  const language = recordLanguage(state, {
    metrics,
    tags: [...new Set([discussed, ...tags])],
    members: members.map(({ userId, name, email }) => ({ value: userId, name: name ?? email })),
  });
  const { text, ...others } = state;
  return (
    <FilterBar<RecordState>
      label="Filter records"
      placeholder="Filter or search: Helpful:fail tag:regression refund"
      language={language}
      areNamesRead={areMetricsRead && !membersRead.isPending}
      state={state}
      change={(change, { isReplacing }) =>
        void navigate({
          search: (before) => ({ ...before, ...change }),
          replace: isReplacing,
          resetScroll: false,
        })
      }
      isTextFollowed={false}
      note={
        text && Object.keys(others).length > 0
          ? 'The text is searched in every record of the run: the other filters count again without it.'
          : undefined
      }
    >
      <Presets metrics={metrics} />
      <ViewsMenu projectId={projectId} list="records" grid="records" />
    </FilterBar>
  );
}

/** The daily questions. Each is the whole filter; Back leads to the one before. */
function Presets({ metrics }: { metrics: MetricSummary[] }) {
  const { projectId } = route.useParams();
  return (
    <Popover label="Presets">
      <div className={styles.presets}>
        {metrics.map(({ metricId, metricVersionId, name, evalType, outputType, ...metric }) => (
          <section key={metricVersionId} aria-label={name}>
            <h3>{name}</h3>
            <ul className={styles.presets}>
              <Preset filters={{ metricVersionId, outcome: 'failed' }} text="Not scored" />
              {(!isNumeric(outputType) || metric.passingThreshold !== null) && (
                <Preset filters={{ metricVersionId, outcome: 'fail' }} text="Fails" />
              )}
              {isNumeric(outputType) && (
                <Preset
                  filters={{
                    sort: `value:${metricVersionId}`,
                    order: metric.lowerIsBetter ? 'desc' : 'asc',
                  }}
                  text="Worst first"
                />
              )}
              {evalType === 'human' && (
                <Preset
                  filters={{ metricVersionId, outcome: 'awaited' }}
                  text="Waits for a person"
                />
              )}
              {evalType === 'ai' && (
                <li>
                  <Link
                    to="/projects/$projectId/metrics/$metricId"
                    params={{ projectId, metricId }}
                    search={{ tab: 'reliability' }}
                  >
                    Judge and person disagree
                  </Link>
                </li>
              )}
            </ul>
          </section>
        ))}
        <section aria-label="All metrics">
          <h3>All metrics</h3>
          <ul className={styles.presets}>
            <Preset filters={{ assignee: 'me' }} text="Mine" />
            <Preset filters={{ hasError: 'true' }} text="Errors" />
            <Preset filters={{ hasAnnotations: 'true' }} text="With annotations" />
          </ul>
        </section>
      </div>
    </Popover>
  );
}

const Preset = ({ filters, text }: { filters: RecordState; text: string }) => (
  <li>
    <Link
      from="/projects/$projectId/runs/$runId"
      search={(before) => ({ ...before, ...noRecordFilters, ...filters })}
      resetScroll={false}
    >
      {text}
    </Link>
  </li>
);
