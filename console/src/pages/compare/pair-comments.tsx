import { useState } from 'react';
import { useMembers } from '../../api/members.ts';
import { useChange, useReading } from '../../api/query.ts';
import annotationStyles from '../../parts/annotations/annotations.module.css';
import { CommentForm } from '../../parts/annotations/comment-form.tsx';
import { Said } from '../../parts/annotations/said.tsx';
import { useRecordAnnotationChanges } from '../../parts/annotations/use-record-annotation-changes.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { memberNames } from '../../text/names.ts';
import styles from './pairs.module.css';

interface PairRecords {
  baselineId: string;
  candidateId: string;
}

/** The comments on a pair: read when they are asked for, since a page has many pairs. */
export function PairComments(records: PairRecords) {
  const [isShown, setShown] = useState(false);
  return (
    <div className={styles.comments}>
      <Button kind="quiet" aria-expanded={isShown} onClick={() => setShown(!isShown)}>
        {isShown ? 'Hide the comments' : 'Comments'}
      </Button>
      {isShown && <ShownComments {...records} />}
    </div>
  );
}

/** They are annotations of the candidate's record, which name the other one. */
function ShownComments({ baselineId, candidateId: recordId }: PairRecords) {
  const read = useReading('/records/:recordId/annotations', { params: { recordId } });
  const members = useMembers();
  const add = useChange('POST', '/records/:recordId/annotations', {
    refreshes: ['/records/:recordId/annotations'],
  });
  const changes = useRecordAnnotationChanges(recordId);
  const nameOf = memberNames(members.data?.data);
  const fault = read.error ?? add.error ?? changes.error;
  const ofPair = (read.data?.data ?? []).filter(
    ({ comparedRecordId }) => comparedRecordId === baselineId,
  );
  return (
    <>
      <ul className={annotationStyles.list}>
        {ofPair.map((annotation) => (
          <li key={annotation.id}>
            <Said said={annotation} nameOf={nameOf} changes={changes} />
          </li>
        ))}
      </ul>
      <CommentForm
        label="Comment on this pair"
        submit="Comment"
        isBusy={add.isPending}
        onSubmit={(comment, done) =>
          add.mutate(
            { params: { recordId }, body: { comment, comparedRecordId: baselineId } },
            { onSuccess: done },
          )
        }
      />
      {fault && <Problem error={fault} />}
    </>
  );
}
