import type { ReplyOf } from '@assay/client/operations';
import { holdDeletion } from '../../api/held-deletions.ts';
import { useMembers } from '../../api/members.ts';
import { useChange } from '../../api/query.ts';
import annotationStyles from '../../parts/annotations/annotations.module.css';
import { CommentForm } from '../../parts/annotations/comment-form.tsx';
import { Said } from '../../parts/annotations/said.tsx';
import { Thumb } from '../../parts/annotations/thumb.tsx';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { memberNames } from '../../text/names.ts';
import styles from './trace.module.css';

export type TraceAnnotation = NonNullable<
  ReplyOf<'GET', '/traces/:traceId'>['annotations']
>[number];

const refreshes = ['/traces/:traceId'] as const;

/** The annotations of a span and of the whole trace: a comment, a thumb, or both. */
export function SpanAnnotations({
  traceId,
  spanId,
  annotations,
}: {
  traceId: string;
  spanId: string;
  annotations: TraceAnnotation[];
}) {
  const members = useMembers();
  const nameOf = memberNames(members.data?.data);
  const ofOne = '/traces/:traceId/annotations/:annotationId';
  const add = useChange('POST', '/traces/:traceId/annotations', { refreshes: [...refreshes] });
  const edit = useChange('PATCH', ofOne, { refreshes: [...refreshes] });
  const rate = (rating: boolean, comment: string, done: () => void) =>
    add.mutate(
      {
        params: { traceId },
        body: { spanId, rating, ...(comment === '' ? {} : { comment }) },
      },
      { onSuccess: done },
    );
  const changes = {
    isBusy: edit.isPending,
    error: edit.error,
    edit: (annotationId: string, comment: string, done: () => void) =>
      edit.mutate({ params: { traceId, annotationId }, body: { comment } }, { onSuccess: done }),
    remove: (id: string) =>
      holdDeletion(ofOne, {
        id,
        thing: 'The annotation',
        params: { traceId, annotationId: id },
        refreshes: [...refreshes],
      }),
  };
  return (
    <section className={styles.annotations} aria-label="Annotations">
      {annotations.length > 0 && (
        <ul className={annotationStyles.list}>
          {annotations.map((annotation) => (
            <li key={annotation.id}>
              <Said
                said={annotation}
                about={annotation.spanId === null && 'of the whole trace · '}
                nameOf={nameOf}
                changes={changes}
              />
            </li>
          ))}
        </ul>
      )}
      <CommentForm
        label="Comment on this span"
        submit="Comment"
        isBusy={add.isPending}
        onSubmit={(comment, done) =>
          add.mutate({ params: { traceId }, body: { spanId, comment } }, { onSuccess: done })
        }
      >
        {(comment, done) => (
          <>
            <Button isBusy={add.isPending} onClick={() => rate(true, comment, done)}>
              <Thumb isGood /> Good
            </Button>
            <Button isBusy={add.isPending} onClick={() => rate(false, comment, done)}>
              <Thumb isGood={false} /> Bad
            </Button>
          </>
        )}
      </CommentForm>
      {add.error && <Problem error={add.error} />}
    </section>
  );
}
