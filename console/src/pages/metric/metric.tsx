import { getRouteApi, Link } from '@tanstack/react-router';
import { lazy, Suspense, useState } from 'react';
import { useReading } from '../../api/query.ts';
import { ButtonLink } from '../../parts/button.tsx';
import { Id } from '../../parts/copy.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Page } from '../../parts/frame/page.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Tabs } from '../../parts/tabs.tsx';
import { Together } from '../../parts/together.tsx';
import type { TrendSearch } from '../../parts/trend/trend-search.ts';
import { isOfPairs, outputOf, scorerOf, scorers } from '../../text/metrics.ts';
import { adoptedDraft } from './adopted-draft.ts';
import { type Draft, draftOf, firstDraft } from './draft.ts';
import { MetricEditor } from './metric-editor.tsx';
import { MetricMenu } from './metric-menu.tsx';
import { outputNameIn } from './typed-outputs.ts';
import { type SampleSearch, useSample } from './use-sample.ts';

// Most visits are to the editor, which is large by itself.
const JudgeLibrary = lazy(async () => ({
  default: (await import('./judge-library.tsx')).JudgeLibrary,
}));
const Reliability = lazy(async () => ({
  default: (await import('./reliability.tsx')).Reliability,
}));
const TrendSection = lazy(async () => ({
  default: (await import('../../parts/trend/trend-section.tsx')).TrendSection,
}));
const Versions = lazy(async () => ({ default: (await import('./versions.tsx')).Versions }));

/** Testsets whose fields are known: a project rarely has more. */
const testsetsRead = 100;

const route = getRouteApi('/frame/projects/$projectId/metrics/$metricId');
const newRoute = getRouteApi('/frame/projects/$projectId/metrics/new');

const Above = ({ projectId }: { projectId: string }) => (
  <Link to="/projects/$projectId/metrics" params={{ projectId }}>
    Metrics
  </Link>
);

/** One metric: how it scores, how it came to score so, and how far its judge can be trusted. */
export function Metric() {
  const { projectId, metricId } = route.useParams();
  const search = route.useSearch();
  const { tab = 'edit' } = search;
  const navigate = route.useNavigate();
  const metric = useReading('/metrics/:metricId', { params: { metricId } });
  if (!metric.data)
    return (
      <Page title="Metric" above={<Above projectId={projectId} />}>
        {metric.error && <Problem error={metric.error} retry={() => void metric.refetch()} />}
      </Page>
    );
  const scorer = scorerOf(metric.data);
  const hasReliability = scorer === 'judge' && !isOfPairs(metric.data);
  const setSearch = (changes: SampleSearch | TrendSearch) =>
    void navigate({
      search: (before) => ({ ...before, ...changes }),
      replace: true,
      resetScroll: false,
    });
  return (
    <Page
      title={metric.data.name}
      kind="Metric"
      actions={<MetricMenu projectId={projectId} metric={metric.data} />}
      above={
        <>
          <Above projectId={projectId} /> · {scorers[scorer].text} · {outputOf(metric.data)} ·{' '}
          <Id id={metricId} />
        </>
      }
    >
      <Tabs
        label="Parts of the metric"
        tabs={[
          { text: 'Edit', search: { tab: undefined }, isCurrent: tab === 'edit' },
          { text: 'Over time', search: { tab: 'trend' }, isCurrent: tab === 'trend' },
          { text: 'Versions', search: { tab: 'versions' }, isCurrent: tab === 'versions' },
          // Only a model can be unreliable: rules and code score alike every time.
          ...(hasReliability
            ? [
                {
                  text: 'Reliability',
                  search: { tab: 'reliability' },
                  isCurrent: tab === 'reliability',
                },
              ]
            : []),
        ]}
      />
      {tab === 'edit' && (
        <Together>
          <MetricEditor
            key={metricId}
            projectId={projectId}
            metricId={metricId}
            draftName={metricId}
            saved={draftOf(metric.data)}
            search={search}
            setSearch={setSearch}
          />
        </Together>
      )}
      <Suspense>
        {tab === 'trend' && (
          <TrendSection
            projectId={projectId}
            title="Over time"
            metricId={metricId}
            search={search}
            setSearch={setSearch}
          />
        )}
      </Suspense>
      <Suspense>{tab === 'versions' && <Versions metricId={metricId} />}</Suspense>
      {tab === 'reliability' &&
        (hasReliability ? (
          <Suspense>
            <Reliability metric={metric.data} />
          </Suspense>
        ) : (
          <Empty title="No judge">
            Reliability is of metrics by which a model judges records: how far it agrees with
            people, and with itself.
          </Empty>
        ))}
    </Page>
  );
}

/** A metric that is not stored yet, of one's own or from a ready-made judge. */
export function NewMetric() {
  const { projectId } = newRoute.useParams();
  const { library, template } = newRoute.useSearch();
  const above = <Above projectId={projectId} />;
  if (library)
    return (
      <Page title="Ready-made judges" above={above}>
        <Suspense>
          <JudgeLibrary projectId={projectId} />
        </Suspense>
      </Page>
    );
  const toLibrary = (
    <ButtonLink
      to="/projects/$projectId/metrics/new"
      params={{ projectId }}
      search={{ library: 'open' }}
    >
      Ready-made judges
    </ButtonLink>
  );
  return (
    <Page title="New metric" above={above} actions={toLibrary}>
      {template === undefined ? (
        <Together>
          <NewMetricEditor name="" saved={firstDraft} />
        </Together>
      ) : (
        <FromTemplate key={template} name={template} />
      )}
    </Page>
  );
}

function FromTemplate({ name }: { name: string }) {
  const { projectId } = newRoute.useParams();
  const { run, record } = newRoute.useSearch();
  const templates = useReading('/judge-templates');
  const testsets = useReading('/projects/:projectId/testsets', {
    params: { projectId },
    query: { limit: testsetsRead },
  });
  const sample = useSample({
    projectId,
    metricId: undefined,
    run,
    record,
    outputName: outputNameIn(firstDraft),
  });
  // Another record that is looked at later makes no other draft.
  const [saved, setSaved] = useState<Draft>();
  const isKnown = !testsets.isPending && !sample.isLoading && !sample.isReading;
  const template = templates.data?.data.find((one) => one.name === name);
  if (!saved && template && isKnown)
    setSaved(
      adoptedDraft(template, { testsets: testsets.data?.data ?? [], values: sample.values }),
    );
  if (!templates.data)
    return (
      templates.error && <Problem error={templates.error} retry={() => void templates.refetch()} />
    );
  if (!template)
    return <Empty title="No such judge">There is no ready-made judge of this name.</Empty>;
  return saved && <NewMetricEditor name={`.${name}`} saved={saved} />;
}

function NewMetricEditor({ name, saved }: { name: string; saved: Draft }) {
  const { projectId } = newRoute.useParams();
  const search = newRoute.useSearch();
  const navigate = newRoute.useNavigate();
  return (
    <MetricEditor
      projectId={projectId}
      metricId={undefined}
      draftName={`new.${projectId}${name}`}
      saved={saved}
      search={search}
      setSearch={(changes) =>
        void navigate({
          search: (before) => ({ ...before, ...changes }),
          replace: true,
          resetScroll: false,
        })
      }
    />
  );
}
