import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { publicPath } from './api/public-path.ts';
import { Frame } from './parts/frame/frame.tsx';
import { NotFound } from './parts/frame/not-found.tsx';
import { PageProblem } from './parts/frame/page-problem.tsx';
import { FullScreen } from './parts/frame/signed-in.tsx';
import { choice, parseSearch, search, text, texts, writeSearch } from './parts/search.ts';
import { trendSearch } from './parts/trend/trend-search.ts';

/** The URLs of the console. Every page is loaded when it is first shown. */
const root = createRootRoute({ component: Outlet, notFoundComponent: NotFound });

const login = createRoute({
  getParentRoute: () => root,
  path: '/login',
  validateSearch: search({ to: text }),
  component: lazyRouteComponent(() => import('./pages/login/login.tsx'), 'Login'),
});

const frame = createRoute({ getParentRoute: () => root, id: 'frame', component: Frame });

const home = createRoute({
  getParentRoute: () => frame,
  path: '/',
  beforeLoad: () => {
    throw redirect({ to: '/projects', replace: true });
  },
});

const projects = createRoute({
  getParentRoute: () => frame,
  path: '/projects',
  component: lazyRouteComponent(() => import('./pages/projects/projects.tsx'), 'Projects'),
});

/** Of files, into a project that is chosen there, or a new one. */
const importing = createRoute({
  getParentRoute: () => frame,
  path: '/import',
  component: lazyRouteComponent(() => import('./pages/import/import.tsx'), 'Import'),
});

const projectImport = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/import',
  component: lazyRouteComponent(() => import('./pages/import/import.tsx'), 'Import'),
});

const overview = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId',
  validateSearch: search(trendSearch),
  component: lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'Overview'),
});

const runs = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/runs',
  validateSearch: search({
    name: text,
    status: choice(
      'pending',
      'awaiting_execution',
      'running_execution',
      'awaiting_scoring',
      'running_scoring',
      'awaiting_human_scoring',
      'completed',
    ),
    label: texts,
    testsetId: text,
    systemVersionId: text,
    createdBy: text,
    source: choice('API', 'Monitor', 'Playground', 'Kickoff'),
    from: text,
    to: text,
    metricId: text,
    min: text,
    max: text,
    sort: choice('createdAt', 'name', 'mean'),
    order: choice('asc', 'desc'),
  }),
  component: lazyRouteComponent(() => import('./pages/runs/runs.tsx'), 'Runs'),
});

const newRun = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/runs/new',
  validateSearch: search({
    testsetId: text,
    way: choice('code'),
    /** Each an object with one JSON Pointer into a testcase's data, and the value there. */
    where: texts,
  }),
  component: lazyRouteComponent(() => import('./pages/new-run/new-run.tsx'), 'NewRun'),
});

const run = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/runs/$runId',
  validateSearch: search({
    tab: choice('records', 'summary', 'failures'),
    /** The field, or `tags`, by which the summary is broken down. */
    breakdown: text,
    text,
    tags: texts,
    metricVersionId: text,
    outcome: choice('pass', 'fail', 'failed', 'pending', 'awaited', 'errored', 'invalid'),
    value: text,
    min: text,
    max: text,
    assignee: text,
    hasAnnotations: choice('true', 'false'),
    hasError: choice('true', 'false'),
    testcaseId: text,
    breakdownBy: text,
    breakdownValue: text,
    sort: text,
    order: choice('asc', 'desc'),
    /** JSON Pointers of the columns that were added. */
    column: texts,
    /** The record that is shown beside the list. */
    record: text,
  }),
  component: lazyRouteComponent(() => import('./pages/run/run.tsx'), 'Run'),
});

const traces = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/traces',
  validateSearch: search({
    from: text,
    to: text,
    name: text,
    service: text,
    model: text,
    sessionId: text,
    userId: text,
    tag: text,
    linkId: text,
    error: choice('true', 'false'),
    settled: choice('true', 'false'),
    minDurationMs: text,
    minCostUsd: text,
    rating: choice('true', 'false'),
    text,
  }),
  component: lazyRouteComponent(() => import('./pages/traces/traces.tsx'), 'Traces'),
});

const trace = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/traces/$traceId',
  validateSearch: search({
    span: text,
    tab: choice('conversation', 'payloads', 'attributes', 'events', 'raw'),
    layout: choice('timeline'),
    view: choice('json', 'raw'),
  }),
  component: lazyRouteComponent(() => import('./pages/trace/trace.tsx'), 'Trace'),
});

const monitors = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/monitors',
  component: lazyRouteComponent(() => import('./pages/monitors/monitors.tsx'), 'Monitors'),
});

const session = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/sessions/$sessionId',
  component: lazyRouteComponent(() => import('./pages/session/session.tsx'), 'Session'),
});

const compare = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/compare',
  validateSearch: search({
    baseline: text,
    candidate: texts,
    /** Testcases of all of the runs, in place of the comparison by metric. */
    tab: choice('testcases'),
    /** The runs in which the testcases that are shown pass, and fail. */
    passing: texts,
    failing: texts,
    /** The run from which the answers of the others are told apart. */
    against: text,
    metric: text,
    show: text,
    order: choice('largest', 'oldest'),
    group: text,
    breakdown: text,
    level: text,
    people: text,
    pair: text,
    prefer: text,
    judged: choice('candidate', 'baseline', 'tie', 'contradiction', 'failed'),
  }),
  component: lazyRouteComponent(() => import('./pages/compare/compare.tsx'), 'Compare'),
});

const record = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/records/$recordId',
  validateSearch: search({ view: choice('reading', 'json', 'raw', 'diff'), annotation: text }),
  component: lazyRouteComponent(() => import('./pages/record/record.tsx'), 'Record'),
});

const testsets = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/testsets',
  component: lazyRouteComponent(() => import('./pages/testsets/testsets.tsx'), 'Testsets'),
});

const testset = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/testsets/$testsetId',
  validateSearch: search({
    tab: choice('cases', 'hardest', 'duplicates', 'history', 'schema', 'import'),
    metric: text,
    from: text,
    to: text,
    invalid: choice('true'),
    q: text,
    /** The testcase whose data is shown. */
    testcase: text,
    where: texts,
    view: choice('table', 'json'),
  }),
  component: lazyRouteComponent(() => import('./pages/testset/testset.tsx'), 'Testset'),
});

const metrics = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/metrics',
  component: lazyRouteComponent(() => import('./pages/metrics/metrics.tsx'), 'Metrics'),
});

/** The run and the record on which a metric is tried, and the view of the record. */
const sample = { run: text, record: text, view: choice('prompt', 'record') };

const newMetric = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/metrics/new',
  validateSearch: search({ ...sample, library: choice('open'), template: text }),
  component: lazyRouteComponent(() => import('./pages/metric/metric.tsx'), 'NewMetric'),
});

const metric = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/metrics/$metricId',
  validateSearch: search({
    tab: choice('edit', 'trend', 'versions', 'reliability'),
    ...sample,
    ...trendSearch,
    version: text,
    against: text,
    people: text,
    beside: text,
    cell: text,
  }),
  component: lazyRouteComponent(() => import('./pages/metric/metric.tsx'), 'Metric'),
});

const systems = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/systems',
  component: lazyRouteComponent(() => import('./pages/systems/systems.tsx'), 'Systems'),
});

const system = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/systems/$systemId',
  validateSearch: search({ version: text, against: text, ...trendSearch }),
  component: lazyRouteComponent(() => import('./pages/systems/system.tsx'), 'System'),
});

const review = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/review',
  validateSearch: search({ run: text, metric: text }),
  component: lazyRouteComponent(() => import('./pages/review/review.tsx'), 'Review'),
});

const fullScreen = createRoute({
  getParentRoute: () => root,
  id: 'full-screen',
  component: FullScreen,
});

const reviewing = createRoute({
  getParentRoute: () => fullScreen,
  path: '/projects/$projectId/review/go',
  validateSearch: search({
    run: text,
    metric: text,
    only: choice('assigned'),
    view: choice('reading', 'json', 'raw'),
    expected: choice('shown'),
  }),
  component: lazyRouteComponent(() => import('./pages/reviewing/reviewing.tsx'), 'Reviewing'),
});

const device = createRoute({
  getParentRoute: () => fullScreen,
  path: '/device',
  validateSearch: search({ code: text }),
  component: lazyRouteComponent(() => import('./pages/device/device.tsx'), 'Device'),
});

const settings = createRoute({
  getParentRoute: () => frame,
  path: '/settings/$section',
  component: lazyRouteComponent(() => import('./pages/settings/settings.tsx'), 'Settings'),
});

export const router = createRouter({
  routeTree: root.addChildren([
    login,
    frame.addChildren([
      home,
      projects,
      importing,
      projectImport,
      overview,
      runs,
      newRun,
      run,
      compare,
      record,
      traces,
      trace,
      monitors,
      session,
      testsets,
      testset,
      metrics,
      newMetric,
      metric,
      systems,
      system,
      review,
      settings,
    ]),
    fullScreen.addChildren([reviewing, device]),
  ]),
  basepath: publicPath || '/',
  parseSearch,
  stringifySearch: writeSearch,
  scrollRestoration: true,
  defaultPendingMs: 150,
  defaultErrorComponent: ({ error }) => <PageProblem error={error as Error} />,
});

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router;
  }
}
