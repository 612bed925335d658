import type { ItemOf } from '@assay/client/operations';
import { getRouteApi } from '@tanstack/react-router';
import { useMemberNames } from '../../api/names.ts';
import { useReading } from '../../api/query.ts';
import { JsonDifference } from '../../parts/difference/difference.tsx';
import { Choice } from '../../parts/field.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import { formatInstant } from '../../text/format.ts';
import styles from './metric.module.css';

const route = getRouteApi('/frame/projects/$projectId/metrics/$metricId');

type Version = ItemOf<'/metrics/:metricId/versions'>;

/** The fields of a version in the words of the form. */
const fieldNames: Record<string, string> = {
  annotators: 'people for each record',
  builtin: 'rule',
  code: 'code',
  evalModelName: 'model',
  guidelines: 'guidelines',
  lowerIsBetter: 'direction',
  max: 'greatest value',
  min: 'least value',
  passingThreshold: 'passing threshold',
  promptTemplate: 'prompt template',
  seed: 'seed',
  temperature: 'temperature',
  votes: 'votes',
};

/** How the metric came to score as it does: its versions, and how any two of them differ. */
export function Versions({ metricId }: { metricId: string }) {
  const { version, against } = route.useSearch();
  const navigate = route.useNavigate();
  const reading = useReading('/metrics/:metricId/versions', {
    params: { metricId },
    query: { limit: 100 },
  });
  const nameOfMember = useMemberNames();
  const { data: versions = [], hasMore = false } = reading.data ?? {};
  if (reading.error) return <Problem error={reading.error} retry={() => void reading.refetch()} />;
  const shownIndex = Math.max(
    0,
    versions.findIndex(({ id }) => id === version),
  );
  const shown = versions[shownIndex];
  const other = versions.find(({ id }) => id === against) ?? versions[shownIndex + 1];
  const nameOf = (one: Version): string =>
    hasMore
      ? `Version of ${formatInstant(one.createdAt)}`
      : `Version ${versions.length - versions.indexOf(one)}`;
  const show = (changes: { version?: string; against?: string | undefined }) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), resetScroll: false });
  const choiceOf = (chosen: Version | undefined) => ({
    value: chosen?.id ?? '',
    children: versions.map((one) => (
      <option key={one.id} value={one.id}>
        {nameOf(one)}
      </option>
    )),
  });
  return (
    <div className={styles.versions}>
      <ol className={styles.versionList} aria-label="Versions, newest first">
        {versions.map((one, index) => (
          <li key={one.id} aria-current={one === shown || undefined}>
            <button
              type="button"
              onClick={() => show({ version: one.id, against: undefined })}
              className={styles.versionName}
            >
              {nameOf(one)}
              {index === 0 && ' (current)'}
            </button>
            <span>{changesOf(one, index === versions.length - 1 && !hasMore)}</span>
            <span className={styles.hint}>
              <Time at={one.createdAt} />
              {one.createdByUserId && ` by ${nameOfMember(one.createdByUserId)}`}
            </span>
          </li>
        ))}
      </ol>
      {hasMore && <p className={styles.hint}>The newest 100 are shown.</p>}
      {shown && (
        <section className={styles.pane} aria-label="Difference">
          <div className={styles.paneHead}>
            <h2>What changed</h2>
            {versions.length > 1 && (
              <>
                <Choice
                  label="From"
                  {...choiceOf(other)}
                  onChange={({ target }) => show({ against: target.value })}
                />
                <Choice
                  label="To"
                  {...choiceOf(shown)}
                  onChange={({ target }) => show({ version: target.value })}
                />
              </>
            )}
          </div>
          {other ? (
            <JsonDifference before={other.config} after={shown.config} />
          ) : (
            <>
              <p>This is the first version: all of it is new.</p>
              <JsonDifference before={{}} after={shown.config} />
            </>
          )}
        </section>
      )}
    </div>
  );
}

function changesOf({ changes }: Version, isFirst: boolean): string {
  if (isFirst) return 'Created';
  return `Changed: ${changes.map((field) => fieldNames[field] ?? field).join(', ')}`;
}
