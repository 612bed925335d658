import {
  createRootRoute,
  createRoute,
  createRouter,
  lazyRouteComponent,
  Outlet,
  redirect,
} from '@tanstack/react-router';
import { publicPath } from './api/request.ts';
import { Frame } from './parts/frame/frame.tsx';
import { NotFound } from './parts/frame/not-found.tsx';
import { PageProblem } from './parts/frame/page-problem.tsx';
import { choice, parseSearch, search, text, texts, writeSearch } from './parts/search.ts';

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

const overview = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId',
  component: lazyRouteComponent(() => import('./pages/overview/overview.tsx'), 'Overview'),
});

const runs = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/runs',
  validateSearch: search({
    name: text,
    status: text,
    label: texts,
    testsetId: text,
    systemVersionId: text,
    createdBy: text,
    source: text,
  }),
  component: lazyRouteComponent(() => import('./pages/runs/runs.tsx'), 'Runs'),
});

const run = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/runs/$runId',
  validateSearch: search({ tab: choice('records', 'summary', 'failures'), tags: texts }),
  component: lazyRouteComponent(() => import('./pages/run/run.tsx'), 'Run'),
});

const compare = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/compare',
  validateSearch: search({
    baseline: text,
    candidate: texts,
    metric: text,
    show: text,
    order: choice('largest', 'oldest'),
    group: text,
    level: text,
    pair: text,
  }),
  component: lazyRouteComponent(() => import('./pages/compare/compare.tsx'), 'Compare'),
});

const record = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/records/$recordId',
  validateSearch: search({ view: choice('reading', 'json', 'raw', 'diff') }),
  component: lazyRouteComponent(() => import('./pages/record/record.tsx'), 'Record'),
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
  validateSearch: search(sample),
  component: lazyRouteComponent(() => import('./pages/metric/metric.tsx'), 'NewMetric'),
});

const metric = createRoute({
  getParentRoute: () => frame,
  path: '/projects/$projectId/metrics/$metricId',
  validateSearch: search({
    tab: choice('edit', 'versions', 'reliability'),
    ...sample,
    version: text,
    against: text,
    people: text,
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
  validateSearch: search({ version: text, against: text }),
  component: lazyRouteComponent(() => import('./pages/systems/system.tsx'), 'System'),
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
      overview,
      runs,
      run,
      compare,
      record,
      metrics,
      newMetric,
      metric,
      systems,
      system,
      settings,
    ]),
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
