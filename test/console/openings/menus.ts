import {
  inProject,
  type Opening,
  ofChangedTestset,
  ofComparison,
  ofRun,
  ofTestset,
  ofTrace,
  selectFirstRow,
} from './opening.ts';

/** What opens at one button of a page, by its name. */
const menuOf = (
  file: string,
  path: Opening['path'],
  title: string | RegExp,
  more: Partial<Opening> = {},
): Opening => ({ file, path, title, buttons: [title], ...more });

/** The choice of a thing by its name. */
const choiceOf = (
  file: string,
  path: Opening['path'],
  title: string,
  buttons: Opening['buttons'] = [],
): Opening => ({ file, path, title, buttons, field: title });

/** The path of a page by the name that it has among all. */
const pathOf =
  (wanted: string): Opening['path'] =>
  ({ pages }) =>
    pages.find(([name]) => name === wanted)![1];

/** Every menu, and every other panel and list that opens over a page. */
export const menus: Opening[] = [
  menuOf('parts/frame/account.tsx', () => '/projects', /^Account/),
  menuOf('parts/frame/project-choice.tsx', inProject(''), /^Project:/),
  menuOf('pages/overview/project-menu.tsx', inProject(''), 'More'),
  menuOf('pages/testset/testset-menu.tsx', ofTestset, 'More'),
  menuOf('pages/testset/case-tools.tsx', ofTestset, 'Export'),
  menuOf('pages/metric/metric-menu.tsx', pathOf('metric of a judge'), 'More'),
  menuOf('pages/systems/system-menu.tsx', pathOf('system'), 'More'),
  menuOf('pages/trace/trace-menu.tsx', ofTrace, 'More'),
  menuOf('pages/run/run-actions.tsx', ofRun, 'More'),
  menuOf('pages/run/compare-menu.tsx', ofRun, 'Compare'),
  menuOf('pages/run/record-filters.tsx', ofRun, 'Presets'),
  menuOf('pages/run/added-columns.tsx', ofRun, 'Add column'),
  menuOf('pages/run/metric-head.tsx', ofRun, /: order and filter$/),
  menuOf('pages/runs/run-filters.tsx', inProject('/runs'), 'Made'),
  menuOf('parts/views/views-menu.tsx', inProject('/runs'), 'Views'),
  menuOf('parts/views/views-menu.tsx', inProject('/traces'), 'Views'),
  menuOf('parts/filter/add-filter.tsx', inProject('/runs'), 'Add filter'),
  menuOf('parts/filter/add-filter.tsx', ofRun, 'Add filter'),
  menuOf('parts/filter/add-filter.tsx', inProject('/traces'), 'Add filter'),
  menuOf('parts/grid/column-menu.tsx', inProject('/runs'), 'Columns'),
  menuOf('parts/grid/column-menu.tsx', ofRun, 'Columns'),
  menuOf('parts/grid/column-menu.tsx', ofChangedTestset(''), 'Columns'),
  menuOf('parts/grid/action-menu.tsx', inProject('/runs'), /^Actions/, { before: selectFirstRow }),
  menuOf('parts/grid/action-menu.tsx', ofRun, /^Actions/, { before: selectFirstRow }),
  choiceOf('parts/filter/filter-bar.tsx', inProject('/runs'), 'Filter runs'),
  choiceOf('parts/trend/trend-filters.tsx', inProject(''), 'Testset'),
  choiceOf('pages/trace/add-to-testset.tsx', ofTrace, 'Testset', ['Add to a testset']),
  choiceOf(
    'pages/metric/reliability.tsx',
    ({ projectId, judgeId }) => `/projects/${projectId}/metrics/${judgeId}?tab=reliability`,
    'Run',
  ),
  choiceOf('pages/metric/sample-pane.tsx', pathOf('metric of a judge'), 'Run'),
  choiceOf('pages/review/set-up-form.tsx', inProject('/review'), 'Run', ['Set up a review']),
  choiceOf('pages/compare/run-choice.tsx', ofComparison(''), 'Baseline'),
  choiceOf('pages/compare/run-chips.tsx', ofComparison('&tab=testcases'), 'Add a run'),
  choiceOf('pages/new-run/new-run.tsx', inProject('/runs/new'), 'Testset'),
];
