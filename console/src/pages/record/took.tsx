import type { ReplyOf } from '@assay/client/operations';
import { visible } from '../../text/format.ts';
import { indentedJson } from '../../text/json.ts';
import { tookOf } from '../../text/took.ts';
import styles from './record.module.css';

type RecordReply = ReplyOf<'GET', '/records/:recordId'>;

/** The latency, tokens and cost of the answer, and the metadata of the record. */
export function Took({ metrics, metadata }: Pick<RecordReply, 'metrics' | 'metadata'>) {
  const took = tookOf(metrics);
  if (took.length === 0 && !metadata) return null;
  return (
    <section className={styles.people} aria-label="Metrics and metadata">
      <h2>Metrics and metadata</h2>
      {took.length > 0 && (
        <dl className={styles.took}>
          {took.map(({ name, text }) => (
            <div key={name}>
              <dt>{name}</dt>
              <dd>{text}</dd>
            </div>
          ))}
        </dl>
      )}
      {metadata && <pre className={styles.metadata}>{visible(indentedJson(metadata))}</pre>}
    </section>
  );
}
