import { getRouteApi } from '@tanstack/react-router';
import { useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/field.tsx';
import { NameChoice } from '../../parts/name-choice/name-choice.tsx';
import { BreakdownField, PointerField } from '../../parts/pointer-field.tsx';
import styles from './compare.module.css';
import { RunChips } from './run-chips.tsx';

const route = getRouteApi('/frame/projects/$projectId/compare');

/** Choices about the runs before say nothing of others. */
const withoutRunFilters = { passing: undefined, failing: undefined, against: undefined };

/** Which runs are compared, by which groups and at which level. */
export function RunChoice({
  projectId,
  names,
}: {
  projectId: string;
  names: (id: string) => string;
}) {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const { baseline, candidate: candidates = [] } = search;
  const [candidate] = candidates;
  const baselineRun = useReading('/runs/:runId', {
    params: { runId: baseline ?? '' },
    isEnabled: baseline !== undefined,
  });
  // Runs of another testset have no testcase in common with the baseline.
  const testsetId = baselineRun.data?.testsetId ?? undefined;
  const change = (values: Partial<typeof search>) =>
    void navigate({
      search: (before) => ({
        ...before,
        ...('baseline' in values || 'candidate' in values ? withoutRunFilters : {}),
        ...values,
        pair: undefined,
      }),
    });
  return (
    <form className={styles.choice} onSubmit={(event) => event.preventDefault()}>
      <NameChoice
        projectId={projectId}
        label="Baseline"
        kind="run"
        value={baseline}
        choose={(id) => change({ baseline: id, people: undefined })}
      />
      <Button
        aria-label="Swap baseline and candidate"
        title="Swap"
        disabled={!baseline || !candidate}
        onClick={() => change({ baseline: candidate, candidate: baseline ? [baseline] : [] })}
      >
        ⇄
      </Button>
      {candidates.length < 2 && (
        <NameChoice
          projectId={projectId}
          label="Candidate"
          kind="run"
          testsetId={testsetId}
          excluded={baseline === undefined ? [] : [baseline]}
          value={candidate}
          choose={(id) => change({ candidate: id ? [id] : undefined, people: undefined })}
        />
      )}
      <RunChips
        projectId={projectId}
        baseline={baseline}
        candidates={candidates}
        testsetId={testsetId}
        names={names}
        change={(chosen) => change({ candidate: chosen, people: undefined })}
      />
      <Choice
        label="Level"
        value={search.level ?? '0.95'}
        onChange={({ target }) =>
          change({ level: target.value === '0.95' ? undefined : target.value })
        }
      >
        {['0.9', '0.95', '0.99'].map((one) => (
          <option key={one} value={one}>
            {Math.round(100 * Number(one))} %
          </option>
        ))}
      </Choice>
      {candidates.length < 2 && (
        <>
          <PointerField
            label="Testcases that belong together"
            title="Testcases with the same value here are drawn together, since they are not independent: the interval is wider"
            testsetId={testsetId}
            value={search.group}
            change={(group) => change({ group })}
          />
          <BreakdownField
            testsetId={testsetId}
            value={search.breakdown}
            change={(breakdown) => change({ breakdown })}
          />
        </>
      )}
    </form>
  );
}
