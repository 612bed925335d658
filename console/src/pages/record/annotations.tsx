import { useChange, useReading } from '../../api/query.ts';
import { Problem } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import { visible } from '../../text/format.ts';
import { memberNames } from '../../text/names.ts';
import styles from './record.module.css';
import { OneField } from './record-people.tsx';
import {
  type Annotation,
  AnnotationLink,
  type useAnnotations,
  useArrival,
} from './use-annotations.tsx';

/** The annotations of a record and of passages in it, oldest first. */
export function Annotations({
  recordId,
  annotations,
  error,
  chosenId,
  choices,
  choose,
}: { recordId: string } & Omit<ReturnType<typeof useAnnotations>, 'texts' | 'passagesOf'>) {
  const members = useReading('/members', { query: { limit: 100 } });
  const add = useChange('POST', '/records/:recordId/annotations', {
    refreshes: ['/records/:recordId/annotations'],
  });
  const nameOf = memberNames(members.data?.data);
  const fault = error ?? add.error;
  return (
    <section className={styles.people} aria-label="Annotations">
      <h2>Annotations</h2>
      <ul className={styles.annotations}>
        {annotations.map((annotation) => (
          <Said
            key={annotation.id}
            annotation={annotation}
            author={nameOf(annotation.userId)}
            isChosen={annotation.id === chosenId}
            choices={choices}
            choose={choose}
          />
        ))}
      </ul>
      <OneField
        label="Comment"
        submit="Add"
        isBusy={add.isPending}
        onSubmit={(comment) => add.mutate({ params: { recordId }, body: { comment } })}
      />
      <p className={`${styles.hint} for-screens`}>
        Select a text of the record to annotate it, or press <kbd>a</kbd>.
      </p>
      {fault && <Problem error={fault} />}
    </section>
  );
}

function Said({
  annotation: { id, rating, comment, passage, createdAt },
  author,
  isChosen,
  choices,
  choose,
}: {
  annotation: Annotation;
  author: string;
  isChosen: boolean;
  choices: number;
  choose: () => void;
}) {
  const element = useArrival(isChosen, choices);
  return (
    <li ref={element} tabIndex={-1} aria-current={isChosen || undefined}>
      {passage && (
        <p className={styles.quote}>
          <AnnotationLink id={id} choose={choose}>
            “{visible(passage.text.slice(0, quotedLength))}
            {passage.text.length > quotedLength && ' …'}”
          </AnnotationLink>{' '}
          <span className={styles.hint}>
            {passage.payload}
            {visible(passage.pointer)}
          </span>
        </p>
      )}
      <p className={styles.comment}>
        {rating !== null && (rating ? '👍 good ' : '👎 bad ')}
        {comment && visible(comment)}
      </p>
      <p className={styles.hint}>
        {author} · <Time at={createdAt} />
      </p>
    </li>
  );
}

/** Characters of a passage that are quoted at most. */
const quotedLength = 200;
