import { useReading } from '../../api/query.ts';
import { Id } from '../../parts/copy.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import styles from './settings.module.css';

/** The organization itself. */
export function Organization() {
  const { data, error, refetch } = useReading('/organization');
  if (error) return <Problem error={error} retry={() => void refetch()} />;
  if (!data) return null;
  return (
    <dl className={styles.facts}>
      <div>
        <dt>Name</dt>
        <dd>{data.name}</dd>
      </div>
      <div>
        <dt>Id</dt>
        <dd>
          <Id id={data.id} />
        </dd>
      </div>
      <div>
        <dt>Created</dt>
        <dd>
          <Time at={data.createdAt} />
        </dd>
      </div>
    </dl>
  );
}
