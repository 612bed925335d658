import type { ReplyOf } from '@assay/client/operations';
import { isSameScale } from '@assay/contracts/scale';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useMetrics } from '../../api/metrics.ts';
import { useReading } from '../../api/query.ts';
import { useRunNames } from '../../api/run-names.ts';
import { Empty } from '../../parts/empty.tsx';
import { Choice } from '../../parts/field.tsx';
import { Markdown } from '../../parts/markdown.tsx';
import { NameChoice } from '../../parts/name-choice/name-choice.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf, formatCount, formatMean, formatShare } from '../../text/format.ts';
import type { Metric } from '../../text/metrics.ts';
import { between, ErrorsByRun, type Interval } from './errors-by-run.tsx';
import styles from './reliability.module.css';
import { useRecordNames } from './use-record-names.ts';

const route = getRouteApi('/frame/projects/$projectId/metrics/$metricId');

type ReliabilityReply = ReplyOf<'GET', '/metrics/:metricId/reliability'>;
type Value = boolean | number;

/** How far the metric's scores can be trusted: beside people's, and beside its own. */
export function Reliability({ metric }: { metric: Metric }) {
  const { projectId, metricId } = route.useParams();
  const { run: chosen, people, beside } = route.useSearch();
  const navigate = route.useNavigate();
  const runs = useReading('/projects/:projectId/runs', {
    params: { projectId },
    query: { limit: 100 },
  });
  const metrics = useMetrics(projectId);
  const all = (runs.data?.data ?? []).filter(({ metricIds }) =>
    metricIds.some((id) => id === metricId),
  );
  const listed = all.find(({ id }) => id === chosen);
  const older = useReading('/runs/:runId', {
    params: { runId: chosen ?? '' },
    isEnabled: chosen !== undefined && !runs.isPending && !listed,
  });
  const run = listed ?? (chosen === undefined ? all[0] : older.data);
  const runId = run?.id ?? chosen;
  const humanMetrics = (metrics.data?.data ?? []).filter(
    (each) =>
      each.evalType === 'human' &&
      isSameScale(each, metric) &&
      (run?.metricIds.includes(each.id) ?? false),
  );
  const reliability = useReading('/metrics/:metricId/reliability', {
    params: { metricId },
    query: {
      runId: runId ?? '',
      ...(people ? { humanMetricId: people } : {}),
      ...(beside ? { compareWithRunId: [beside] } : {}),
    },
    isEnabled: runId !== undefined,
  });
  const nameOf = useRunNames([runId, beside]);
  const show = (changes: {
    run?: string;
    people?: string | undefined;
    beside?: string | undefined;
  }) => void navigate({ search: (before) => ({ ...before, ...changes, cell: undefined }) });
  if (runs.error) return <Problem error={runs.error} retry={() => void runs.refetch()} />;
  if (runs.data && !runId)
    return (
      <Empty title="No run has this metric">
        Once a run was scored by it, and people have scored some of the same records, this is where
        you see how far they agree.
      </Empty>
    );
  return (
    <div className={styles.reliability}>
      <div className={styles.choices}>
        <NameChoice
          projectId={projectId}
          label="Run"
          kind="run"
          metricId={metricId}
          value={runId}
          choose={(id) => id && show({ run: id, people: undefined, beside: undefined })}
        />
        <Choice
          label="People's scores"
          value={people ?? ''}
          onChange={({ target }) => show({ people: target.value || undefined })}
        >
          <option value="">Of this metric itself</option>
          {humanMetrics.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </Choice>
        <NameChoice
          projectId={projectId}
          label="Compare its errors with those in"
          kind="run"
          metricId={metricId}
          nothing="No other run"
          excluded={runId === undefined ? [] : [runId]}
          value={beside}
          choose={(id) => show({ beside: id })}
        />
      </div>
      {reliability.error && (
        <Problem error={reliability.error} retry={() => void reliability.refetch()} />
      )}
      {reliability.data && (
        <Agreement
          reliability={reliability.data}
          nameOf={nameOf}
          isReversed={metric.lowerIsBetter === true}
        />
      )}
    </div>
  );
}

function Agreement({
  reliability,
  nameOf,
  isReversed,
}: {
  reliability: ReliabilityReply;
  nameOf: (runId: string) => string;
  isReversed: boolean;
}) {
  const { compared, agreement, confusionMatrix, testRetest } = reliability;
  return (
    <>
      <div className={styles.cards}>
        <section className={styles.card} aria-label="Agreement with people">
          <h2>Agreement with people</h2>
          {compared === 0 ? (
            <p>
              Nobody has scored a record of this run that it scored too. 50 to 100 records, drawn by
              chance, are a good beginning.
            </p>
          ) : (
            <>
              <p className={styles.value}>
                {agreement.value === null ? '–' : formatMean(agreement.value)}
              </p>
              <p>{meaningOf(agreement.value, agreement.confidenceInterval)}</p>
              <p className={styles.hint}>
                {agreement.measure}, {countOf(compared, 'record')}
                {agreement.exact !== null &&
                  `; the same value on ${formatShare(agreement.exact)}${between(agreement.exactConfidenceInterval, formatShare)}`}
              </p>
            </>
          )}
        </section>
        <section className={styles.card} aria-label="Agreement with itself">
          <h2>Agreement with itself</h2>
          {testRetest === null ? (
            <p>
              It was asked once for each record. With three votes, or a rescore, this says how far
              it agrees with itself.
            </p>
          ) : (
            <>
              <p className={styles.value}>
                {testRetest.alpha === null ? '–' : formatMean(testRetest.alpha)}
              </p>
              <p>
                {testRetest.alpha === null
                  ? 'Its scores are too much alike to say.'
                  : 'It cannot agree with people more than with itself.'}
              </p>
              <p className={styles.hint}>
                Krippendorff's alpha, {countOf(testRetest.records, 'record')}
                {testRetest.exact !== null &&
                  `; the same value each time on ${formatShare(testRetest.exact)}`}
              </p>
            </>
          )}
        </section>
      </div>
      <ErrorsByRun reliability={reliability} nameOf={nameOf} />
      {confusionMatrix.length > 0 && <Matrix reliability={reliability} isReversed={isReversed} />}
      {compared > 0 && <Disagreements reliability={reliability} isReversed={isReversed} />}
    </>
  );
}

/** The meaning of an agreement beyond chance, in the words of docs/first-judge.md. */
function meaningOf(agreement: number | null, interval: Interval | null): string {
  if (agreement === null) return 'The scores are too few, or too much alike, to say.';
  if (agreement < 0)
    return 'They agree less than by chance: look whether one of them is turned round.';
  const probably = interval
    ? `Probably between ${formatMean(interval.low)} and ${formatMean(interval.high)}`
    : 'The scores are too much alike to say how sure this is';
  return `${probably}: 0 is chance, 1 is perfect. However high, never compare two runs on it alone.`;
}

const cellOf = (judge: Value, human: Value): string => `${judge}~${human}`;

/** Writes a value; where less is better, `true` fails. */
const writerOf = (isReversed: boolean) => (value: Value) =>
  typeof value === 'number' ? String(value) : value !== isReversed ? 'pass' : 'fail';

const valuesIn = (matrix: ReliabilityReply['confusionMatrix']): Value[] =>
  [...new Set(matrix.flatMap(({ judge, human }) => [judge, human]))].sort(
    (one, other) => Number(one) - Number(other),
  );

/** How often each value of the metric met each of people's: where they differ, a link to those. */
function Matrix({
  reliability: { confusionMatrix, compared },
  isReversed,
}: {
  reliability: ReliabilityReply;
  isReversed: boolean;
}) {
  const textOf = writerOf(isReversed);
  const { cell } = route.useSearch();
  const values = valuesIn(confusionMatrix);
  const countAt = (judge: Value, human: Value): number =>
    confusionMatrix.find((one) => one.judge === judge && one.human === human)?.count ?? 0;
  return (
    <section aria-label="Confusion matrix">
      <h2>On which side it errs</h2>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by keys. */}
      <div className={styles.scroll} tabIndex={0}>
        <table className={styles.matrix}>
          <thead>
            <tr>
              <th scope="col">It says ↓, people say →</th>
              {values.map((human) => (
                <th key={textOf(human)} scope="col">
                  {textOf(human)}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {values.map((judge) => (
              <tr key={textOf(judge)}>
                <th scope="row">{textOf(judge)}</th>
                {values.map((human) => {
                  const count = countAt(judge, human);
                  const name = cellOf(judge, human);
                  const isSame = judge === human;
                  return (
                    <td
                      key={name}
                      className={isSame ? styles.same : count > 0 ? styles.differs : undefined}
                      aria-current={name === cell || undefined}
                    >
                      {isSame || count === 0 ? (
                        formatCount(count)
                      ) : (
                        <Link
                          from="/projects/$projectId/metrics/$metricId"
                          search={(before) => ({
                            ...before,
                            cell: name === cell ? undefined : name,
                          })}
                          resetScroll={false}
                          aria-label={`${formatCount(count)}: it says ${textOf(judge)}, people say ${textOf(human)}`}
                        >
                          {formatCount(count)}
                        </Link>
                      )}
                    </td>
                  );
                })}
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <p className={styles.hint}>
        {countOf(compared, 'record')}. A number off the diagonal leads to its disagreements.
      </p>
    </section>
  );
}

/** The records on which the two differ, the largest difference first. */
function Disagreements({
  reliability: { disagreements, runId },
  isReversed,
}: {
  reliability: ReliabilityReply;
  isReversed: boolean;
}) {
  const textOf = writerOf(isReversed);
  const { nameOf } = useRecordNames(runId);
  const { projectId } = route.useParams();
  const { cell } = route.useSearch();
  const shown = disagreements.filter(
    ({ judge, human }) => cell === undefined || cellOf(judge, human) === cell,
  );
  return (
    <section aria-label="Disagreements" className={styles.disagreements}>
      <h2>
        Disagreements to review
        {cell && (
          <>
            {' '}
            <Link
              from="/projects/$projectId/metrics/$metricId"
              search={(before) => ({ ...before, cell: undefined })}
              resetScroll={false}
              className={styles.all}
            >
              show all
            </Link>
          </>
        )}
      </h2>
      {shown.length === 0 ? (
        <p className={styles.hint}>
          {cell
            ? 'None of these is among the 100 largest disagreements.'
            : 'They agree on every record.'}
        </p>
      ) : (
        <ul>
          {shown.map(({ recordId, judge, human, reasoning }) => (
            <li key={recordId}>
              <p>
                <Link to="/projects/$projectId/records/$recordId" params={{ projectId, recordId }}>
                  {nameOf(recordId)}
                </Link>{' '}
                · it says <strong>{textOf(judge)}</strong>, people say{' '}
                <strong>{textOf(human)}</strong>
              </p>
              {reasoning && <Markdown text={reasoning} />}
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
