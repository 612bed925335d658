import { type KeyboardEvent, type ReactNode, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../button.tsx';
import { useShortcuts } from '../shortcuts.ts';
import { useStuckHeight } from '../stuck-height.ts';
import { AddFilter } from './add-filter.tsx';
import { type Completion, completionsOf, wordAt } from './completion.ts';
import styles from './filter.module.css';
import { type FilterLanguage, type Pill, pillsOf } from './language.ts';
import { Suggestions } from './suggestions.tsx';
import { type ChangeFilters, useDraft } from './use-draft.ts';

/** More than anybody writes by hand. */
const draftCharactersMax = 4000;

/** The filters of a list: written as words, or chosen from a menu, each in force as a pill. */
export function FilterBar<State extends object>({
  label,
  placeholder,
  language,
  areNamesRead = true,
  state,
  change,
  isTextFollowed,
  hasMenu = true,
  note,
  onWrite,
  children,
}: {
  label: string;
  placeholder: string;
  language: FilterLanguage<State>;
  /** False while names that the language has are still read: what is entered waits for them. */
  areNamesRead?: boolean;
  state: State;
  change: ChangeFilters<State>;
  /** The list follows a text while it is written: reading it again costs little. */
  isTextFollowed: boolean;
  hasMenu?: boolean;
  /** A sentence about the filters in force. */
  note?: string | undefined;
  /** Hears the text that is written: names that the language does not have yet can be looked for. */
  onWrite?: (draft: string) => void;
  children?: ReactNode;
}) {
  const id = useId();
  const whole = useRef<HTMLElement>(null);
  const field = useRef<HTMLInputElement>(null);
  useStuckHeight(whole, '--filters');
  const writing = useDraft({
    language,
    areNamesRead,
    state,
    change,
    isFollowed: isTextFollowed,
  });
  const { draft, mistakes } = writing;
  // biome-ignore lint/correctness/useExhaustiveDependencies: Only the text that is written counts.
  useEffect(() => onWrite?.(draft), [draft]);
  const [list, setList] = useState({ isOpen: false, chosen: -1, caret: 0 });
  const pills = pillsOf(language, state).filter(({ term }) => term || !writing.isTextInDraft);
  const { from, word } = wordAt(draft, list.caret);
  const completions = list.isOpen ? completionsOf(language, { state, word }) : [];
  useShortcuts({ filter: () => field.current?.focus() });
  const [mistake] = mistakes;
  useEffect(() => {
    if (mistake) field.current?.setSelectionRange(mistake.from, mistake.to);
  }, [mistake]);
  const close = () => setList((before) => ({ ...before, isOpen: false, chosen: -1 }));
  const take = (removals: Pill<State>[]) => {
    change(Object.assign({}, ...removals.map(({ removal }) => removal)), { isReplacing: false });
    field.current?.focus();
  };
  const complete = ({ state: after, written }: Completion<State>) => {
    const rest = draft.slice(list.caret);
    if (after) {
      writing.complete(after, `${draft.slice(0, from)}${rest}`.trim());
      close();
    } else {
      const begun = draft.slice(0, from) + written;
      writing.write(begun + rest);
      setList({ isOpen: true, chosen: -1, caret: begun.length });
    }
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    const { key, nativeEvent } = event;
    if (nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[key];
    const last = pills.at(-1);
    if (step)
      setList({
        isOpen: true,
        chosen: list.isOpen ? stepped(list.chosen, step, completions.length) : -1,
        caret: event.currentTarget.selectionStart ?? draft.length,
      });
    else if (key === 'Enter') {
      const completion = completions[list.chosen];
      if (completion) complete(completion);
      else writing.enter();
      if (!completion) close();
    } else if (key === 'Escape' && list.isOpen) close();
    else if (key === 'Backspace' && draft === '' && last) take([last]);
    else return;
    event.preventDefault();
  };
  return (
    <search ref={whole} className={styles.filter}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: The field in it has the keys. */}
      <div
        className={styles.bar}
        onMouseDown={(event) => {
          if (event.target !== event.currentTarget) return;
          event.preventDefault();
          field.current?.focus();
        }}
      >
        <Pills pills={pills} take={take} />
        <input
          ref={field}
          type="text"
          role="combobox"
          className={styles.input}
          aria-label={label}
          aria-autocomplete="list"
          aria-expanded={completions.length > 0}
          aria-controls={completions.length > 0 ? `${id}-list` : undefined}
          aria-activedescendant={completions[list.chosen] ? `${id}-list-${list.chosen}` : undefined}
          aria-invalid={mistakes.length > 0}
          aria-describedby={`${id}-help ${id}-mistakes`}
          placeholder={placeholder}
          maxLength={draftCharactersMax}
          autoComplete="off"
          spellCheck={false}
          value={draft}
          onChange={({ target }) => {
            writing.write(target.value);
            setList({
              isOpen: target.value.trim() !== '',
              chosen: -1,
              caret: target.selectionStart ?? target.value.length,
            });
          }}
          onKeyDown={onKeyDown}
          onBlur={close}
        />
        <Suggestions
          id={`${id}-list`}
          completions={completions}
          chosen={list.chosen}
          choose={complete}
        />
      </div>
      <div id={`${id}-mistakes`} role="alert" className={styles.mistakes} hidden={!mistake}>
        {mistakes.map(({ from: place, says }) => (
          <p key={place}>{says}</p>
        ))}
      </div>
      <div className={styles.menus}>
        {hasMenu && <AddFilter language={language} state={state} change={change} />}
        {children}
        {pills.length > 1 && (
          <Button kind="quiet" onClick={() => take(pills)}>
            Take all away
          </Button>
        )}
      </div>
      <p id={`${id}-help`} className="for-screen-readers">
        Enter puts a filter in force. Backspace in the empty field takes the last one away.
      </p>
      {note && <p className={styles.note}>{note}</p>}
      <Announcement state={state} pills={pills} />
    </search>
  );
}

/** The option before or after: beyond the last one is the field itself, at -1. */
const stepped = (chosen: number, step: number, count: number): number =>
  ((chosen + 1 + step + count + 1) % (count + 1)) - 1;

function Pills<State>({
  pills,
  take,
}: {
  pills: Pill<State>[];
  take: (pills: Pill<State>[]) => void;
}) {
  if (pills.length === 0) return null;
  return (
    <ul className={styles.pills} aria-label="Filters in force">
      {pills.map((pill) => (
        <li key={`${pill.term?.key}${pill.term?.sign}${pill.term?.value}`} className={styles.pill}>
          <span>{pill.says}</span>
          <button type="button" aria-label={`Take away: ${pill.says}`} onClick={() => take([pill])}>
            ✕
          </button>
        </li>
      ))}
    </ul>
  );
}

/** Tells those who do not see the pills which came and which went. */
function Announcement<State>({ state, pills }: { state: State; pills: Pill<State>[] }) {
  const [told, setTold] = useState('');
  const before = useRef<{ key: string; says: string[] }>(undefined);
  const key = JSON.stringify(state);
  const says = pills.map((pill) => pill.says);
  useEffect(() => {
    const last = before.current;
    // Names that come later change what pills say, too.
    before.current = { key, says };
    if (!last || last.key === key) return;
    const added = says.filter((one) => !last.says.includes(one));
    const taken = last.says.filter((one) => !says.includes(one));
    setTold(
      [...added.map((one) => `Added ${one}.`), ...taken.map((one) => `Took away ${one}.`)].join(
        ' ',
      ),
    );
  });
  return (
    <p role="status" className="for-screen-readers">
      {told}
    </p>
  );
}
