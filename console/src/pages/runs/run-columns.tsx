import type { ItemOf } from '@assay/client/operations';
import { partOfRun } from '@assay/client/part-of-run';
import { Link } from '@tanstack/react-router';
import type { Names } from '../../api/names.ts';
import type { useRunResults } from '../../api/run-results.ts';
import type { Column, ColumnSort } from '../../parts/grid/columns.ts';
import { Rate } from '../../parts/rate.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { formatCount, formatDollars } from '../../text/format.ts';
import { costText, latencyText, tokensText } from '../../text/measured.ts';
import { labelTexts, runName } from '../../text/names.ts';
import styles from './runs.module.css';
import type { SortField } from './use-run-sort.ts';

type Run = ItemOf<'/projects/:projectId/runs'>;
type Results = ReturnType<typeof useRunResults>;

/** Who looks for a run knows its name or when it was made: these come first, then its results. */
export const runColumns = ({
  projectId,
  names,
  results,
  measured,
  hasLabels,
  sortOf,
}: {
  projectId: string;
  names: Names;
  results: Results;
  /** The results by the metrics of the records themselves. */
  measured: Results;
  hasLabels: boolean;
  sortOf: (field: SortField) => ColumnSort;
}): Column<Run>[] => [
  {
    id: 'name',
    name: 'Name',
    width: 220,
    sort: sortOf('name'),
    cell: (run) => <Name run={run} projectId={projectId} isBaseline={isBaseline(run, names)} />,
  },
  {
    id: 'createdAt',
    name: 'Made',
    width: 130,
    sort: sortOf('createdAt'),
    cell: ({ createdAt }) => <Time at={createdAt} />,
  },
  { id: 'status', name: 'Status', width: 150, cell: (run) => <Status run={run} /> },
  ...(hasLabels ? [labelColumn] : []),
  ...resultColumns(results, sortOf),
  ...measuredColumns(measured, sortOf),
  ...countColumns,
  ...originColumns(names),
];

function Name({
  run,
  projectId,
  isBaseline,
}: {
  run: Run;
  projectId: string;
  isBaseline: boolean;
}) {
  const part = partOfRun(run);
  return (
    <span>
      <Link
        to="/projects/$projectId/runs/$runId"
        params={{ projectId, runId: run.id }}
        title={runName(run)}
      >
        {run.name ?? (
          <>
            Run of <Time at={run.createdAt} />
          </>
        )}
      </Link>
      {isBaseline && <span className={styles.baseline}>baseline</span>}
      {part && <span className={styles.part}>{part}</span>}
    </span>
  );
}

const isBaseline = ({ id, testsetId }: Run, { testsets }: Names): boolean =>
  testsets.some((testset) => testset.id === testsetId && testset.baselineRunId === id);

const labelColumn: Column<Run> = {
  id: 'labels',
  name: 'Labels',
  width: 280,
  cell: (run) => {
    const labels = labelTexts(run);
    return (
      <span title={labels.join('\n')}>
        {labels.map((label) => (
          <span key={label} className={styles.label}>
            {label}
          </span>
        ))}
      </span>
    );
  },
};

const resultColumns = (
  results: Results,
  sortOf: (field: SortField) => ColumnSort,
): Column<Run>[] => [
  ...results.metrics.map(({ metricId, name, lowerIsBetter }) => ({
    id: `metric-${metricId}`,
    name,
    width: 120,
    isNumber: true,
    sort: sortOf({ metricId, lowerIsBetter }),
    cell: ({ id }: Run) => {
      const result = results.resultOf(id, metricId);
      return result ? <Rate result={result} /> : '–';
    },
  })),
  {
    id: 'errors',
    name: 'Errors',
    width: 120,
    isNumber: true,
    cell: ({ id }) => {
      const errors = results.errorsOf(id);
      return errors?.mean ? <Rate result={errors} /> : '–';
    },
  },
];

/** Latency, tokens and cost of the system, where records have them. */
const measuredColumns = (
  measured: Results,
  sortOf: (field: SortField) => ColumnSort,
): Column<Run>[] => {
  const isThere = (metricId: string) =>
    measured.metrics.some((metric) => metric.metricId === metricId && metric.count > 0);
  const columns: (Column<Run> & { of: string })[] = [
    {
      of: 'latency',
      id: 'latency',
      name: 'Latency',
      width: 130,
      isNumber: true,
      sort: sortOf({ metricId: 'latency', lowerIsBetter: true }),
      cell: ({ id }) => latencyText(measured.resultOf(id, 'latency')),
    },
    {
      of: 'input_tokens',
      id: 'tokens',
      name: 'Tokens',
      width: 100,
      isNumber: true,
      cell: ({ id }) => tokensText(measured, id),
    },
    {
      of: 'cost',
      id: 'systemCost',
      name: 'System cost',
      width: 100,
      isNumber: true,
      sort: sortOf({ metricId: 'cost', lowerIsBetter: true }),
      cell: ({ id }) => costText(measured.resultOf(id, 'cost')),
    },
  ];
  return columns.filter(({ of }) => isThere(of)).map(({ of: _of, ...column }) => column);
};

const countColumns: Column<Run>[] = [
  {
    id: 'records',
    name: 'Records',
    width: 90,
    isNumber: true,
    cell: ({ numRecords }) => formatCount(numRecords),
  },
  {
    id: 'failed',
    name: 'Not scored',
    width: 80,
    isNumber: true,
    cell: ({ scoring }) => (scoring.failed > 0 ? formatCount(scoring.failed) : '–'),
  },
  {
    id: 'cost',
    name: 'Judge cost',
    width: 90,
    isNumber: true,
    cell: ({ costUsd }) => formatDollars(costUsd),
  },
];

const originColumns = (names: Names): Column<Run>[] => [
  {
    id: 'testset',
    name: 'Testset',
    cell: ({ testsetId }) => <span>{testsetId ? names.testset(testsetId) : '–'}</span>,
  },
  {
    id: 'version',
    name: 'System version',
    cell: ({ systemVersionId }) => (
      <span>{systemVersionId ? names.version(systemVersionId) : '–'}</span>
    ),
  },
  {
    id: 'createdBy',
    name: 'Made by',
    cell: ({ createdByUserId }) => (
      <span>{createdByUserId ? names.member(createdByUserId) : '–'}</span>
    ),
  },
];
