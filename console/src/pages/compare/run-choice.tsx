import { getRouteApi } from '@tanstack/react-router';
import { useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Choice } from '../../parts/field.tsx';
import { BreakdownField, PointerField } from '../../parts/pointer-field.tsx';
import { runName } from '../../text/names.ts';
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
  const runs = useReading('/projects/:projectId/runs', {
    params: { projectId },
    query: { limit: 100 },
  });
  const { baseline, candidate: candidates = [] } = search;
  const [candidate] = candidates;
  const all = (runs.data?.data ?? []).filter(({ expiredAt }) => expiredAt === undefined);
  const testsetId = all.find(({ id }) => id === baseline)?.testsetId;
  const change = (values: Partial<typeof search>) =>
    void navigate({
      search: (before) => ({
        ...before,
        ...('baseline' in values || 'candidate' in values ? withoutRunFilters : {}),
        ...values,
        pair: undefined,
      }),
    });
  const options = (among: typeof all, chosen: string | undefined) => (
    <>
      <option value="">Choose …</option>
      {chosen && !among.some(({ id }) => id === chosen) && <option value={chosen}>{chosen}</option>}
      {among.map((run) => (
        <option key={run.id} value={run.id}>
          {runName(run)}
        </option>
      ))}
    </>
  );
  const comparable = all.filter((run) => !testsetId || run.testsetId === testsetId);
  return (
    <form className={styles.choice} onSubmit={(event) => event.preventDefault()}>
      <Choice
        label="Baseline"
        value={baseline ?? ''}
        onChange={({ target }) =>
          change({ baseline: target.value || undefined, people: undefined })
        }
      >
        {options(all, baseline)}
      </Choice>
      <Button
        aria-label="Swap baseline and candidate"
        title="Swap"
        disabled={!baseline || !candidate}
        onClick={() => change({ baseline: candidate, candidate: baseline ? [baseline] : [] })}
      >
        ⇄
      </Button>
      {candidates.length < 2 && (
        <Choice
          label="Candidate"
          value={candidate ?? ''}
          onChange={({ target }) =>
            change({
              candidate: target.value ? [target.value] : undefined,
              people: undefined,
            })
          }
        >
          {options(comparable, candidate)}
        </Choice>
      )}
      <RunChips
        candidates={candidates}
        names={names}
        options={options(
          comparable.filter(({ id }) => id !== baseline && !candidates.includes(id)),
          undefined,
        )}
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
