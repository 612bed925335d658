import { getRouteApi } from '@tanstack/react-router';
import { useRef, useState } from 'react';
import { useList } from '../../api/list.ts';
import { useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Empty } from '../../parts/empty.tsx';
import { Choice } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { useShortcuts } from '../../parts/shortcuts.ts';
import { type AnswerDifference, answerDifferences, TestcaseRow } from './testcase-row.tsx';
import styles from './testcases.module.css';
import { useChosenTestcase } from './use-chosen-testcase.ts';

const route = getRouteApi('/frame/projects/$projectId/compare');

/** Characters of each payload: a cell has the beginning of an answer. */
const previewCharacters = 400;

/** Testcases of two to eight runs, a column a run: those first on which the runs differ most. */
export function Testcases({
  baseline,
  candidates,
  names,
}: {
  baseline: string;
  candidates: string[];
  names: (id: string) => string;
}) {
  const {
    metric: chosenMetric,
    pair: chosen,
    order,
    passing,
    failing,
    against,
  } = route.useSearch();
  const navigate = route.useNavigate();
  const summary = useReading('/runs/:runId/summary', { params: { runId: baseline } });
  const metrics = summary.data?.metrics ?? [];
  const metric = metrics.find(({ metricId }) => metricId === chosenMetric) ?? metrics[0];
  if (summary.error) return <Problem error={summary.error} retry={() => void summary.refetch()} />;
  if (!metric)
    return summary.isPending ? null : (
      <Empty title="No metric">The baseline has no metric to compare testcases by.</Empty>
    );
  const runIds = [baseline, ...candidates];
  const change = (values: Partial<ReturnType<typeof route.useSearch>>) =>
    void navigate({
      search: (before) => ({ ...before, ...values, pair: undefined }),
      resetScroll: false,
    });
  /** Shows only testcases that pass, or fail, in this run. */
  const filter = (runId: string, outcome: string) => {
    const without = (ids: string[] = []) => ids.filter((id) => id !== runId);
    const among = (ids: string[]) => (ids.length > 0 ? ids : undefined);
    change({
      passing: among([...without(passing), ...(outcome === 'pass' ? [runId] : [])]),
      failing: among([...without(failing), ...(outcome === 'fail' ? [runId] : [])]),
    });
  };
  return (
    <section className={styles.testcases} aria-label="Testcases">
      <header className={styles.head}>
        <Choice
          label="Metric"
          value={metric.metricId}
          onChange={({ target }) => change({ metric: target.value })}
        >
          {metrics.map(({ metricId, metricVersionId, name }) => (
            <option key={metricVersionId} value={metricId}>
              {name}
            </option>
          ))}
        </Choice>
        <Choice
          label="Order"
          value={order === 'oldest' ? 'oldest' : 'disagreement'}
          onChange={({ target }) =>
            change({ order: target.value === 'oldest' ? 'oldest' : undefined })
          }
        >
          <option value="disagreement">Largest disagreement first</option>
          <option value="oldest">Oldest first</option>
        </Choice>
        <Choice
          label="Differences from"
          value={against ?? baseline}
          onChange={({ target }) =>
            change({ against: target.value === baseline ? undefined : target.value })
          }
        >
          {runIds.map((runId) => (
            <option key={runId} value={runId}>
              {names(runId)}
            </option>
          ))}
        </Choice>
        {runIds.map((runId) => (
          <Choice
            key={runId}
            label={names(runId)}
            value={passing?.includes(runId) ? 'pass' : failing?.includes(runId) ? 'fail' : ''}
            onChange={({ target }) => filter(runId, target.value)}
          >
            <option value="">Any</option>
            <option value="pass">Passes</option>
            <option value="fail">Fails</option>
          </Choice>
        ))}
      </header>
      <TestcaseTable
        key={JSON.stringify([metric.metricId, order, passing, failing])}
        {...{ baseline, candidates, names, metric, chosen }}
        against={Math.max(0, runIds.indexOf(against ?? baseline))}
        query={{
          metricId: metric.metricId,
          order: order === 'oldest' ? 'oldest' : 'disagreement',
          ...(passing ? { passingRunIds: passing } : {}),
          ...(failing ? { failingRunIds: failing } : {}),
        }}
      />
    </section>
  );
}

function TestcaseTable({
  baseline,
  candidates,
  names,
  metric,
  chosen,
  against,
  query,
}: {
  baseline: string;
  candidates: string[];
  names: (id: string) => string;
  metric: Parameters<typeof TestcaseRow>[0]['metric'];
  chosen: string | undefined;
  /** The place of the run from which the answers of the others are told apart. */
  against: number;
  query: {
    metricId: string;
    order: 'disagreement' | 'oldest';
    passingRunIds?: string[];
    failingRunIds?: string[];
  };
}) {
  const list = useList('/comparisons/testcases', {
    query: {
      baselineRunId: baseline,
      candidateRunIds: candidates,
      preview: previewCharacters,
      ...query,
    },
  });
  const [difference, setDifference] = useState<AnswerDifference>('words');
  const [shown, setShown] = useState<'all' | 'baseline' | 'candidates'>('all');
  const current = useRef<HTMLTableRowElement>(null);
  const {
    items: testcases,
    step,
    hasMore,
    showMore,
  } = useChosenTestcase(list, { chosen, current });
  const showOnly = (side: 'baseline' | 'candidates') => () =>
    setShown(shown === side ? 'all' : side);
  useShortcuts({
    nextPair: step(1),
    previousPair: step(-1),
    differenceKind: () =>
      setDifference(
        answerDifferences[(answerDifferences.indexOf(difference) + 1) % answerDifferences.length]!,
      ),
    onlyBaseline: showOnly('baseline'),
    onlyCandidate: showOnly('candidates'),
  });
  const runIds = [baseline, ...candidates];
  const places = runIds
    .map((_, place) => place)
    .filter((place) => shown === 'all' || (place === 0) === (shown === 'baseline'));
  if (list.error) return <Problem error={list.error} retry={list.retry} />;
  if (!list.isLoading && list.rows === 0)
    return (
      <Empty title="No testcase">
        No testcase of these runs has a score and passes the filters.
      </Empty>
    );
  return (
    <>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by keys. */}
      <section className={styles.scroll} tabIndex={0} aria-label="Testcases by run">
        <table className={styles.table}>
          <thead>
            <tr>
              <th scope="col">Testcase</th>
              {places.map((place) => (
                <th key={runIds[place]} scope="col">
                  {names(runIds[place]!)}
                  {place === 0 && ' (baseline)'}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {testcases.map((testcase) => (
              <TestcaseRow
                key={testcase.testcaseId}
                {...{ testcase, metric, places, against, difference }}
                isCurrent={testcase.testcaseId === chosen}
                ref={testcase.testcaseId === chosen ? current : null}
              />
            ))}
          </tbody>
        </table>
      </section>
      {hasMore && <Button onClick={showMore}>Show more</Button>}
    </>
  );
}
