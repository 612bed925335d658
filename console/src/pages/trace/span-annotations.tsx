import type { ReplyOf } from '@assay/client/operations';
import { useState } from 'react';
import { useChange, useReading } from '../../api/query.ts';
import { useMe } from '../../api/session.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { Time } from '../../parts/time.tsx';
import { visible } from '../../text/format.ts';
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
  const [comment, setComment] = useState('');
  const members = useReading('/members', {
    query: { limit: 100 },
    isEnabled: annotations.length > 0,
  });
  const me = useMe().data;
  const mayDelete = (userId: string) => me?.role === 'admin' || userId === me?.member.userId;
  const nameOf = memberNames(members.data?.data);
  const add = useChange('POST', '/traces/:traceId/annotations', { refreshes: [...refreshes] });
  const remove = useChange('DELETE', '/traces/:traceId/annotations/:annotationId', {
    refreshes: [...refreshes],
  });
  const said = comment.trim();
  const annotate = (rating?: boolean) =>
    add.mutate(
      {
        params: { traceId },
        body: {
          spanId,
          ...(said === '' ? {} : { comment: said }),
          ...(rating === undefined ? {} : { rating }),
        },
      },
      { onSuccess: () => setComment('') },
    );
  const fault = add.error ?? remove.error;
  return (
    <section className={styles.annotations} aria-label="Annotations">
      {annotations.length > 0 && (
        <ul>
          {annotations.map(({ id, spanId, rating, comment, userId, createdAt }) => (
            <li key={id}>
              <p className={styles.text}>
                {rating !== null && (rating ? '👍 good ' : '👎 bad ')}
                {comment && visible(comment)}
              </p>
              <p className={styles.soft}>
                {spanId === null && 'of the whole trace · '}
                {nameOf(userId)} · <Time at={createdAt} />{' '}
                {mayDelete(userId) && (
                  <Button
                    kind="quiet"
                    onClick={() => remove.mutate({ params: { traceId, annotationId: id } })}
                  >
                    Delete the annotation
                  </Button>
                )}
              </p>
            </li>
          ))}
        </ul>
      )}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          if (said !== '') annotate();
        }}
      >
        <input
          aria-label="Comment on this span"
          placeholder="Comment on this span"
          maxLength={10_000}
          value={comment}
          onChange={(event) => setComment(event.target.value)}
        />
        <Button type="submit" isBusy={add.isPending}>
          Comment
        </Button>
        <Button isBusy={add.isPending} onClick={() => annotate(true)}>
          👍 Good
        </Button>
        <Button isBusy={add.isPending} onClick={() => annotate(false)}>
          👎 Bad
        </Button>
      </form>
      {fault && <Problem error={fault} />}
    </section>
  );
}
