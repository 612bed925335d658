import { Pencil, Trash2 } from 'lucide-react';
import { type ReactNode, useEffect, useRef, useState } from 'react';
import { undoDeletion, useHeldDeletions } from '../../api/held-deletions.ts';
import { useMe } from '../../api/session.ts';
import { visible } from '../../text/format.ts';
import { Button } from '../button.tsx';
import { useLeavingFocus } from '../leaving-focus.ts';
import { Problem } from '../problem.tsx';
import { Time } from '../time.tsx';
import styles from './annotations.module.css';
import { CommentForm } from './comment-form.tsx';
import { CommentText } from './comment-text.tsx';
import { Thumb } from './thumb.tsx';

/** An annotation of any thing. */
export interface SaidThing {
  id: string;
  rating: boolean | null;
  comment: string | null;
  userId: string;
  createdAt: string;
  editedAt: string | null;
}

/** How a thing's annotations are changed, as `useChange` gives it. */
export interface SaidChanges {
  isBusy: boolean;
  error: Error | null;
  edit: (id: string, comment: string, done: () => void) => void;
  /** Holds the deletion, so that it can be undone. */
  remove: (id: string) => void;
}

/** An annotation of a person: its author changes it, and its author or an admin deletes it. */
export function Said({
  said: { id, rating, comment, userId, createdAt, editedAt },
  about,
  nameOf,
  changes,
}: {
  said: SaidThing;
  /** More about its thing. */
  about?: ReactNode;
  nameOf: (userId: string) => string;
  changes: SaidChanges;
}) {
  const [isEdited, setEdited] = useState(false);
  const me = useMe().data;
  const isMine = userId === me?.member.userId;
  const isHeld = useHeldDeletions().some((held) => held.id === id && !held.error);
  const close = () => setEdited(false);
  const facts = useRef<HTMLParagraphElement>(null);
  useLeavingFocus(facts);
  const wasEdited = useRef(false);
  useEffect(() => {
    // The form took the place of the button, and has the focus until it goes.
    if (wasEdited.current && !isEdited) facts.current?.querySelector('button')?.focus();
    wasEdited.current = isEdited;
  }, [isEdited]);
  return (
    <>
      {isEdited ? (
        <CommentForm
          label="Change the comment"
          submit="Save"
          comment={comment ?? ''}
          isBusy={changes.isBusy}
          onSubmit={(text) => changes.edit(id, text, close)}
          onCancel={close}
        />
      ) : (
        <p className={styles.text}>
          {rating !== null && (
            <>
              <Thumb isGood={rating} /> {rating ? 'good ' : 'bad '}
            </>
          )}
          {comment &&
            (isHeld ? (
              <s>
                <CommentText comment={comment} nameOf={nameOf} />
              </s>
            ) : (
              <CommentText comment={comment} nameOf={nameOf} />
            ))}
        </p>
      )}
      <p ref={facts} className={styles.facts}>
        <span>
          {about}
          {visible(nameOf(userId))} · <Time at={createdAt} />
          {editedAt && ' · edited'}
        </span>
        {isMine && !isEdited && !isHeld && (
          <Button kind="quiet" title="Edit the annotation" onClick={() => setEdited(true)}>
            <Pencil aria-hidden size={16} strokeWidth={1.75} />
          </Button>
        )}
        {(isMine || me?.role === 'admin') && (
          // One button, so that the one that deleted has the focus to undo it.
          <Button
            kind="quiet"
            title={isHeld ? 'Undo the deletion' : 'Delete the annotation'}
            onClick={() => (isHeld ? undoDeletion(id) : changes.remove(id))}
          >
            {isHeld ? 'Undo' : <Trash2 aria-hidden size={16} strokeWidth={1.75} />}
          </Button>
        )}
      </p>
      {isEdited && changes.error && <Problem error={changes.error} />}
    </>
  );
}
