import { Link } from '@tanstack/react-router';
import { useMembers } from '../../api/members.ts';
import { useChange } from '../../api/query.ts';
import annotationStyles from '../../parts/annotations/annotations.module.css';
import { CommentForm } from '../../parts/annotations/comment-form.tsx';
import { Said, type SaidChanges } from '../../parts/annotations/said.tsx';
import { useRecordAnnotationChanges } from '../../parts/annotations/use-record-annotation-changes.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { countOf, visible } from '../../text/format.ts';
import { memberNames } from '../../text/names.ts';
import styles from './record.module.css';
import {
  type Annotation,
  AnnotationLink,
  type useAnnotations,
  useArrival,
} from './use-annotations.tsx';

const headingId = 'annotations';

/** How many annotations a record has, in its head: they stand below the fold. */
export function AnnotationsFact({ count }: { count: number }) {
  const show = () => {
    const heading = document.getElementById(headingId);
    heading?.scrollIntoView({ block: 'start' });
    heading?.focus({ preventScroll: true });
  };
  return (
    <Button kind="quiet" className={styles.fact} onClick={show}>
      {count === 0 ? 'Annotations' : countOf(count, 'annotation')}
    </Button>
  );
}

/** The annotations of a record and of passages in it, oldest first. */
export function Annotations({
  projectId,
  recordId,
  annotations,
  error,
  chosenId,
  choices,
  choose,
}: { projectId: string; recordId: string } & Omit<
  ReturnType<typeof useAnnotations>,
  'texts' | 'passagesOf'
>) {
  const members = useMembers();
  const add = useChange('POST', '/records/:recordId/annotations', {
    refreshes: ['/records/:recordId/annotations'],
  });
  const changes = useRecordAnnotationChanges(recordId);
  const nameOf = memberNames(members.data?.data);
  const fault = error ?? add.error ?? changes.error;
  return (
    <section className={styles.people} aria-label="Annotations">
      <h2 id={headingId} tabIndex={-1}>
        Annotations
      </h2>
      <ul className={annotationStyles.list}>
        {annotations.map((annotation) => (
          <OfRecord
            key={annotation.id}
            projectId={projectId}
            annotation={annotation}
            nameOf={nameOf}
            changes={changes}
            isChosen={annotation.id === chosenId}
            choices={choices}
            choose={choose}
          />
        ))}
      </ul>
      <CommentForm
        label="Comment"
        submit="Add"
        isBusy={add.isPending}
        onSubmit={(comment, done) =>
          add.mutate({ params: { recordId }, body: { comment } }, { onSuccess: done })
        }
      />
      <p className={`${styles.hint} for-screens`}>
        Select a text of the record to annotate it, or press <kbd>a</kbd>.
      </p>
      {fault && <Problem error={fault} />}
    </section>
  );
}

function OfRecord({
  projectId,
  annotation,
  nameOf,
  changes,
  isChosen,
  choices,
  choose,
}: {
  projectId: string;
  annotation: Annotation;
  nameOf: (userId: string) => string;
  changes: SaidChanges;
  isChosen: boolean;
  choices: number;
  choose: () => void;
}) {
  const { id, passage, comparedRecordId } = annotation;
  const element = useArrival(isChosen, choices);
  return (
    <li ref={element} tabIndex={-1} aria-current={isChosen || undefined} className={styles.said}>
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
      <Said
        said={annotation}
        nameOf={nameOf}
        changes={changes}
        about={
          comparedRecordId && (
            <>
              beside{' '}
              <Link
                to="/projects/$projectId/records/$recordId"
                params={{ projectId, recordId: comparedRecordId }}
              >
                another answer
              </Link>
              {' · '}
            </>
          )
        }
      />
    </li>
  );
}

/** Characters of a passage that are quoted at most. */
const quotedLength = 200;
