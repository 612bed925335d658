import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { useChange } from '../../api/query.ts';
import { request } from '../../api/request.ts';
import { Button } from '../../parts/button.tsx';
import { Choice, Field, problemAt } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf, formatDollars } from '../../text/format.ts';
import type { Metric } from '../../text/metrics.ts';
import styles from './compare.module.css';

/** The typed number; undefined where none is typed. */
const numberIn = (text: string): number | undefined =>
  text.trim() === '' ? undefined : Number(text);

/** Asks a judge about these runs, and says before what that costs. */
export function AskJudge({
  projectId,
  runIds,
  judges,
  isAgain,
}: {
  projectId: string;
  runIds: string[];
  judges: Metric[];
  isAgain: boolean;
}) {
  const [chosen, setChosen] = useState<string>();
  const [testcases, setTestcases] = useState('');
  const [budget, setBudget] = useState('');
  const metricId = chosen ?? judges[0]!.id;
  const count = numberIn(testcases);
  const body = { metricId, runIds, ...(count === undefined ? {} : { testcases: count }) };
  const estimate = useQuery({
    queryKey: ['/pairwise-comparisons/estimate', body],
    queryFn: ({ signal }) => request('POST', '/pairwise-comparisons/estimate', { body, signal }),
  });
  const ask = useChange('POST', '/pairwise-comparisons', {
    refreshes: ['/projects/:projectId/pairwise-comparisons'],
  });
  const budgetUsd = numberIn(budget);
  const problem = ask.error ?? estimate.error;
  const [atCount, atBudget] = [problemAt(problem, '/testcases'), problemAt(problem, '/budgetUsd')];
  return (
    <details open={!isAgain} key={`${projectId} ${isAgain}`}>
      <summary>{isAgain ? 'Ask again' : 'Ask a judge which is better'}</summary>
      <form
        className={styles.choice}
        onSubmit={(event) => {
          event.preventDefault();
          ask.mutate({ body: { ...body, ...(budgetUsd === undefined ? {} : { budgetUsd }) } });
        }}
      >
        <Choice label="Judge" value={metricId} onChange={({ target }) => setChosen(target.value)}>
          {judges.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
        <Field
          label="Testcases"
          inputMode="numeric"
          placeholder="all"
          value={testcases}
          onChange={({ target }) => setTestcases(target.value)}
          problem={atCount}
        />
        <Field
          label="Budget in $"
          inputMode="decimal"
          placeholder="none"
          value={budget}
          onChange={({ target }) => setBudget(target.value)}
          problem={atBudget}
        />
        <Button type="submit" kind="main" isBusy={ask.isPending}>
          Ask the judge
        </Button>
      </form>
      {problem && !atCount && !atBudget && <Problem error={problem} />}
      {estimate.data && (
        <p className={styles.hint}>
          {countOf(estimate.data.pairs, 'pair')}, each in both orders:{' '}
          {countOf(estimate.data.questions, 'question')}
          {estimate.data.costUsd === null
            ? '. The price of the model is not known.'
            : `, about ${formatDollars(estimate.data.costUsd)}.`}
        </p>
      )}
    </details>
  );
}
