import type { ItemOf } from '@assay/client/operations';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useReading } from '../../api/query.ts';
import { Choice } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { visible } from '../../text/format.ts';
import { shortId } from '../../text/names.ts';
import styles from './compare.module.css';

const route = getRouteApi('/frame/projects/$projectId/compare');

type PairJudgement = ItemOf<'/pairwise-comparisons/:pairwiseComparisonId/judgements'>;
type Outcome = NonNullable<PairJudgement['outcome']>;

const outcomes: Record<Outcome, string> = {
  candidate: 'The later run is better',
  baseline: 'The earlier run is better',
  tie: 'Ties',
  contradiction: 'Contradictions',
  failed: 'Failed',
};

/** Pairs that are shown; the API lists all. */
const shownMax = 50;

/** The pairs of a comparison with the judge's reasons in both orders. */
export function JudgedPairs({ id, names }: { id: string; names: (runId: string) => string }) {
  const { judged } = route.useSearch();
  const navigate = route.useNavigate();
  const pairs = useReading('/pairwise-comparisons/:pairwiseComparisonId/judgements', {
    params: { pairwiseComparisonId: id },
    query: { limit: shownMax, outcome: judged },
    isEnabled: judged !== undefined,
  });
  return (
    <>
      <Choice
        label="Pairs with reasons"
        value={judged ?? ''}
        onChange={({ target }) =>
          void navigate({
            search: (before) => ({ ...before, judged: (target.value || undefined) as Outcome }),
          })
        }
      >
        <option value="">None</option>
        {Object.entries(outcomes).map(([outcome, text]) => (
          <option key={outcome} value={outcome}>
            {text}
          </option>
        ))}
      </Choice>
      {pairs.error && <Problem error={pairs.error} />}
      {judged && pairs.data && (
        <ul aria-label={outcomes[judged]}>
          {pairs.data.data.map((pair) => (
            <Pair key={pair.id} pair={pair} names={names} />
          ))}
          {pairs.data.data.length === 0 && <li className={styles.hint}>No such pair.</li>}
          {pairs.data.hasMore && <li className={styles.hint}>The first {shownMax} are shown.</li>}
        </ul>
      )}
    </>
  );
}

function Pair({ pair, names }: { pair: PairJudgement; names: (runId: string) => string }) {
  const { projectId } = route.useParams();
  const { testcaseId, baselineRunId, candidateRunId, answers } = pair;
  return (
    <li>
      <p>
        Testcase {shortId(testcaseId)}:{' '}
        <Link
          to="/projects/$projectId/records/$recordId"
          params={{ projectId, recordId: pair.baselineRecordId }}
        >
          {names(baselineRunId)}
        </Link>
        {' and '}
        <Link
          to="/projects/$projectId/records/$recordId"
          params={{ projectId, recordId: pair.candidateRecordId }}
        >
          {names(candidateRunId)}
        </Link>
      </p>
      {answers.map(({ firstRunId, preferredRunId, reasoning, failure }) => (
        <p key={firstRunId} className={styles.hint}>
          {names(firstRunId)} shown first:{' '}
          <strong>
            {failure
              ? failure.message
              : preferredRunId === null
                ? 'a tie'
                : `${names(preferredRunId)} is better`}
          </strong>
          {reasoning && ` – ${visible(reasoning)}`}
        </p>
      ))}
    </li>
  );
}
