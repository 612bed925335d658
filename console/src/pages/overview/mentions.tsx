import type { ItemOf } from '@assay/client/operations';
import { Link } from '@tanstack/react-router';
import { useMembers } from '../../api/members.ts';
import { useReading } from '../../api/query.ts';
import { CommentText } from '../../parts/annotations/comment-text.tsx';
import { Time } from '../../parts/time.tsx';
import { visible } from '../../text/format.ts';
import { memberNames } from '../../text/names.ts';
import styles from './overview.module.css';

type Mention = ItemOf<'/projects/:projectId/mentions'>;

/** As many of the newest as are shown. */
const mentionsMax = 5;

/** The newest comments that mention the person who looks. */
export function Mentions({ projectId }: { projectId: string }) {
  const read = useReading('/projects/:projectId/mentions', {
    params: { projectId },
    query: { limit: mentionsMax },
  });
  const mentions = read.data?.data ?? [];
  const members = useMembers({ isEnabled: mentions.length > 0 });
  const nameOf = memberNames(members.data?.data);
  if (mentions.length === 0) return null;
  return (
    <section aria-label="Mentions" className={styles.mentions}>
      <h2>Mentions you</h2>
      <ul>
        {mentions.map((mention) => (
          <li key={mention.id}>
            <p className={styles.mention}>
              <CommentText comment={mention.comment} nameOf={nameOf} />
            </p>
            <p className={styles.soft}>
              {visible(nameOf(mention.userId))} · <Time at={mention.createdAt} /> ·{' '}
              <MentionLink projectId={projectId} mention={mention} />
            </p>
          </li>
        ))}
      </ul>
    </section>
  );
}

/** Leads to the thing that the comment is about. */
function MentionLink({
  projectId,
  mention: { id, about, recordId = '', testcaseId, testsetId = '', traceId = '', spanId },
}: {
  projectId: string;
  mention: Mention;
}) {
  if (about === 'testcase')
    return (
      <Link
        to="/projects/$projectId/testsets/$testsetId"
        params={{ projectId, testsetId }}
        search={{ testcase: testcaseId }}
      >
        the testcase
      </Link>
    );
  if (about === 'trace')
    return (
      <Link
        to="/projects/$projectId/traces/$traceId"
        params={{ projectId, traceId }}
        search={{ span: spanId }}
      >
        the trace
      </Link>
    );
  return (
    <Link
      to="/projects/$projectId/records/$recordId"
      params={{ projectId, recordId }}
      search={{ annotation: id }}
    >
      {about === 'pair' ? 'the pair' : 'the record'}
    </Link>
  );
}
