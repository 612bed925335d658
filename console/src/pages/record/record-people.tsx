import { useMembers } from '../../api/members.ts';
import { useChange, useReading } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Problem } from '../../parts/problem.tsx';
import { visible } from '../../text/format.ts';
import { memberNames } from '../../text/names.ts';
import styles from './record.module.css';

/** People's notes on a record: tags and assignees. */
export function RecordPeople({ recordId }: { recordId: string }) {
  return (
    <>
      <Tags recordId={recordId} />
      <Assignees recordId={recordId} />
    </>
  );
}

export function Tags({
  recordId,
  isFocused = false,
}: {
  recordId: string;
  /** A new tag can be typed at once. */
  isFocused?: boolean;
}) {
  const params = { recordId };
  const { data, error } = useReading('/records/:recordId/tags', { params });
  const refreshes = ['/records/:recordId/tags', '/runs/:runId/records'] as const;
  const add = useChange('POST', '/records/:recordId/tags', { refreshes: [...refreshes] });
  const remove = useChange('DELETE', '/records/:recordId/tags/:text', {
    refreshes: [...refreshes],
  });
  const fault = error ?? add.error ?? remove.error;
  return (
    <section className={styles.people} aria-label="Tags">
      <h2>Tags</h2>
      <ul className={styles.tags}>
        {data?.data.map(({ id, text }) => (
          <li key={id}>
            {visible(text)}
            <button
              type="button"
              aria-label={`Remove the tag ${text}`}
              onClick={() => remove.mutate({ params: { recordId, text } })}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      <OneField
        label="New tag"
        submit="Add"
        isFocused={isFocused}
        isBusy={add.isPending}
        onSubmit={(text) => add.mutate({ params, body: { text } })}
      />
      {fault && <Problem error={fault} />}
    </section>
  );
}

function Assignees({ recordId }: { recordId: string }) {
  const params = { recordId };
  const assignees = useReading('/records/:recordId/assignees', { params });
  const members = useMembers();
  const refreshes = ['/records/:recordId/assignees', '/runs/:runId/records'] as const;
  const add = useChange('POST', '/records/:recordId/assignees', { refreshes: [...refreshes] });
  const remove = useChange('DELETE', '/records/:recordId/assignees/:assigneeUserId', {
    refreshes: [...refreshes],
  });
  const assigned = new Set(assignees.data?.data.map(({ assigneeUserId }) => assigneeUserId));
  const nameOf = memberNames(members.data?.data);
  const fault = assignees.error ?? add.error ?? remove.error;
  return (
    <section className={styles.people} aria-label="Assigned to">
      <h2>Assigned to</h2>
      <ul className={styles.tags}>
        {[...assigned].map((assigneeUserId) => (
          <li key={assigneeUserId}>
            {nameOf(assigneeUserId)}
            <button
              type="button"
              aria-label={`Take it from ${nameOf(assigneeUserId)}`}
              onClick={() => remove.mutate({ params: { recordId, assigneeUserId } })}
            >
              ✕
            </button>
          </li>
        ))}
      </ul>
      <select
        aria-label="Assign to"
        value=""
        onChange={({ target }) => add.mutate({ params, body: { assigneeUserId: target.value } })}
      >
        <option value="">Assign to …</option>
        {members.data?.data
          .filter(({ userId }) => !assigned.has(userId))
          .map(({ userId }) => (
            <option key={userId} value={userId}>
              {nameOf(userId)}
            </option>
          ))}
      </select>
      {fault && <Problem error={fault} />}
    </section>
  );
}

/** A form of one line, empty again once it is sent. */
function OneField({
  label,
  submit,
  isBusy,
  isFocused = false,
  onSubmit,
}: {
  label: string;
  submit: string;
  isBusy: boolean;
  isFocused?: boolean;
  onSubmit: (text: string) => void;
}) {
  return (
    <form
      className={styles.oneField}
      onSubmit={(event) => {
        event.preventDefault();
        const text = `${new FormData(event.currentTarget).get('text')}`.trim();
        if (text === '') return;
        onSubmit(text);
        event.currentTarget.reset();
      }}
    >
      <input
        name="text"
        data-focus-first={isFocused || undefined}
        aria-label={label}
        placeholder={label}
      />
      <Button type="submit" isBusy={isBusy}>
        {submit}
      </Button>
    </form>
  );
}
