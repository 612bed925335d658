import { piecesOf } from '@assay/contracts/mentions';
import { visible } from '../../text/format.ts';
import styles from './annotations.module.css';

/** A comment as people wrote it, with the names of those whom it mentions. */
export const CommentText = ({
  comment,
  nameOf,
}: {
  comment: string;
  nameOf: (userId: string) => string;
}) =>
  piecesOf(comment).map((piece, index) =>
    index % 2 === 0 ? (
      visible(piece)
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: The pieces of one comment do not move.
      <strong key={index} className={styles.mention}>
        @{visible(nameOf(piece))}
      </strong>
    ),
  );
