import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { useMembers } from '../../api/members.ts';
import { visible } from '../../text/format.ts';
import {
  begunMention,
  type MentionName,
  mentionedBy,
  mentionNames,
  storedOf,
  writtenOf,
} from '../../text/mentions.ts';
import { Button } from '../button.tsx';
import optionStyles from '../option.module.css';
import styles from './annotations.module.css';

const charactersMax = 10_000;
/** People who are offered at once. */
const offeredMax = 6;

/**
 * A comment that is written: `@` offers the members. Enter sends it, with Shift it begins a line, and
 * Escape takes a change back.
 */
export function CommentForm({
  label,
  submit,
  comment = '',
  isBusy,
  isFocused = false,
  onSubmit,
  onCancel,
  children,
}: {
  label: string;
  submit: string;
  /** The one that is changed. */
  comment?: string;
  isBusy: boolean;
  isFocused?: boolean;
  /** `done` empties the field. */
  onSubmit: (comment: string, done: () => void) => void;
  onCancel?: () => void;
  /** Other ways to send it. */
  children?: (comment: string, done: () => void) => ReactNode;
}) {
  const id = useId();
  const field = useRef<HTMLTextAreaElement>(null);
  const members = useMembers();
  const names = mentionNames(members.data?.data);
  const [draft, setDraft] = useState<string>();
  const [list, setList] = useState({ begun: undefined as string | undefined, chosen: 0 });
  const text = draft ?? writtenOf(comment, names);
  const offered = list.begun === undefined ? [] : mentionedBy(list.begun, names, offeredMax);
  const close = () => setList({ begun: undefined, chosen: 0 });
  const follow = ({ value, selectionStart }: HTMLTextAreaElement) =>
    setList({ begun: begunMention(value, selectionStart), chosen: 0 });
  const mention = ({ name }: MentionName) => {
    const caret = field.current?.selectionStart ?? text.length;
    const start = caret - (list.begun?.length ?? 0);
    setDraft(`${text.slice(0, start)}${name} ${text.slice(caret)}`);
    close();
    field.current?.focus();
  };
  const isChange = onCancel !== undefined;
  useEffect(() => {
    // It opens by a button, which it replaces.
    if (isChange) field.current?.focus();
  }, [isChange]);
  const said = storedOf(text.trim(), names);
  const empty = () => setDraft(undefined);
  const send = () => {
    if (said !== '' && !isBusy) onSubmit(said, empty);
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.nativeEvent.isComposing) return;
    const { key, shiftKey } = event;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const chosen = offered[list.chosen];
    if (chosen && step)
      setList({ ...list, chosen: (list.chosen + step + offered.length) % offered.length });
    else if (chosen && (key === 'Enter' || key === 'Tab') && !shiftKey) mention(chosen);
    else if (chosen && key === 'Escape') close();
    else if (key === 'Escape' && onCancel) onCancel();
    else if (key === 'Enter' && !shiftKey) send();
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <form
      className={styles.form}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <div className={styles.field}>
        <textarea
          ref={field}
          data-focus-first={isFocused || undefined}
          aria-label={label}
          placeholder={`${label}: @ mentions somebody`}
          aria-autocomplete="list"
          aria-controls={offered.length > 0 ? `${id}-list` : undefined}
          aria-activedescendant={offered.length > 0 ? `${id}-${list.chosen}` : undefined}
          rows={2}
          maxLength={charactersMax}
          value={text}
          onChange={({ target }) => {
            setDraft(target.value);
            follow(target);
          }}
          onKeyDown={onKeyDown}
          onBlur={close}
        />
        {offered.length > 0 && (
          <div id={`${id}-list`} role="listbox" aria-label="Members" className={styles.offered}>
            {offered.map((one, index) => (
              // biome-ignore lint/a11y/useFocusableInteractive: The field keeps the focus.
              // biome-ignore lint/a11y/useKeyWithClickEvents: The field has the keys.
              <div
                key={one.userId}
                id={`${id}-${index}`}
                role="option"
                className={optionStyles.option}
                aria-selected={index === list.chosen}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => mention(one)}
              >
                {visible(one.name)}
              </div>
            ))}
          </div>
        )}
      </div>
      <div className={styles.buttons}>
        <Button type="submit" isBusy={isBusy}>
          {submit}
        </Button>
        {children?.(said, empty)}
        {onCancel && <Button onClick={onCancel}>Cancel</Button>}
      </div>
    </form>
  );
}
