import { useMembers } from '../../api/members.ts';
import { useMe } from '../../api/session.ts';
import { memberNames } from '../../text/names.ts';
import styles from './review.module.css';

/** The members who are to review, by the name `member` in the form; at first the person alone. */
export function Members({ hasNobody }: { hasNobody: boolean }) {
  const me = useMe();
  const members = useMembers();
  const nameOf = memberNames(members.data?.data);
  return (
    <fieldset className={styles.members}>
      <legend>Members</legend>
      {members.data?.data.map(({ userId }) => (
        <label key={userId}>
          <input
            type="checkbox"
            name="member"
            value={userId}
            defaultChecked={userId === me.data?.member.userId}
          />
          {nameOf(userId)}
        </label>
      ))}
      {hasNobody && <p role="alert">Choose somebody.</p>}
    </fieldset>
  );
}
