import { ChevronsUpDown } from 'lucide-react';
import { type KeyboardEvent, type RefObject, useEffect, useId, useRef, useState } from 'react';
import { type NamedThing, type NameKind, useNamed, useThings } from '../../api/named.ts';
import { searchRemark, thingName } from '../../text/named.ts';
import { shortId } from '../../text/names.ts';
import fieldStyles from '../field.module.css';
import { Labelled } from '../field.tsx';
import optionStyles from '../option.module.css';
import { Time } from '../time.tsx';
import styles from './name-choice.module.css';

/** The choice of nothing, where there is one. */
const none = '';

interface NameChoiceProps {
  projectId: string;
  label: string;
  hint?: string | undefined;
  kind: NameKind;
  /** The id of the chosen thing; undefined where none is. */
  value: string | undefined;
  choose: (id: string | undefined) => void;
  /** The words of the choice of nothing; without them something is always chosen. */
  nothing?: string;
  /** Shown in the empty field. */
  placeholder?: string;
  /** Runs over this testset only. */
  testsetId?: string | undefined;
  /** Runs that this metric scores only. */
  metricId?: string | undefined;
  /** Ids that are not offered. */
  excluded?: string[];
}

/** A choice of one thing of a project by its name, among any number of them: a text is searched as it is typed. */
export function NameChoice(props: NameChoiceProps) {
  const { projectId, label, hint, kind, value, choose, placeholder = 'Choose …' } = props;
  const id = useId();
  const field = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState<string>();
  const [list, setList] = useState<{ isOpen: boolean; chosen?: number }>({ isOpen: false });
  const chosenThing = useThings(projectId, value === undefined ? [] : [value]);
  const { options, remark } = useOptions(props, typed ?? '', list.isOpen);
  const present = options.findIndex((option) => option.id === (value ?? none));
  const place = list.chosen ?? (typed === undefined ? Math.max(0, present) : 0);
  const current = options[place];
  const open = () => setList({ isOpen: true });
  const close = () => {
    setList({ isOpen: false });
    setTyped(undefined);
  };
  const take = (option: Option | undefined) => {
    if (!option) return;
    close();
    if (option.id !== (value ?? none)) choose(option.id === none ? undefined : option.id);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLInputElement>) => {
    if (event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step && !list.isOpen) open();
    else if (step) setList({ isOpen: true, chosen: stepped(place, step, options.length) });
    else if (event.key === 'Enter' && list.isOpen) take(current);
    else if (event.key === 'Escape' && list.isOpen) close();
    else return;
    event.preventDefault();
  };
  return (
    <div>
      <Labelled id={id} label={label} hint={hint}>
        <div className={styles.field}>
          <input
            ref={field}
            id={id}
            className={fieldStyles.input}
            // A text that is not chosen is no change: a dialog does not ask about it.
            type="search"
            role="combobox"
            autoComplete="off"
            spellCheck={false}
            placeholder={placeholder}
            aria-autocomplete="list"
            aria-expanded={list.isOpen}
            aria-controls={list.isOpen ? `${id}-list` : undefined}
            aria-activedescendant={list.isOpen && current ? `${id}-${current.id}` : undefined}
            value={typed ?? nameOf(value, chosenThing, props.nothing)}
            onFocus={({ currentTarget }) => currentTarget.select()}
            onClick={open}
            onChange={({ target }) => {
              setTyped(target.value);
              open();
            }}
            aria-describedby={`${id}-hint`}
            onKeyDown={onKeyDown}
            onBlur={close}
          />
          <ChevronsUpDown aria-hidden size={14} className={styles.sign} />
        </div>
      </Labelled>
      {list.isOpen && (
        <Options
          id={id}
          anchor={field}
          label={label}
          options={options}
          current={current}
          remark={remark}
          take={take}
        />
      )}
    </div>
  );

  function nameOf(
    chosen: string | undefined,
    { areRead, thing }: ReturnType<typeof useThings>,
    nothing = '',
  ): string {
    if (chosen === undefined) return nothing;
    const named = thing(chosen);
    if (named?.kind === kind) return thingName(named);
    return areRead ? shortId(chosen) : '';
  }
}

interface Option {
  id: string;
  text: string;
  thing?: NamedThing;
}

/** Of the things that are found, those that can be chosen: a run that has expired cannot. */
function useOptions(
  { projectId, kind, testsetId, metricId, excluded = [], nothing }: NameChoiceProps,
  text: string,
  isEnabled: boolean,
): { options: Option[]; remark: string } {
  const search = useNamed(projectId, { text, kind: [kind], testsetId, metricId, isEnabled });
  const things = search.names.filter(
    ({ id, expiredAt }) => expiredAt === undefined && !excluded.includes(id),
  );
  const hasNothing = nothing !== undefined && text.trim() === '';
  return {
    options: [
      ...(hasNothing ? [{ id: none, text: nothing }] : []),
      ...things.map((thing) => ({ id: thing.id as string, text: thingName(thing), thing })),
    ],
    remark: searchRemark({ ...search, count: things.length }),
  };
}

/** Below the field, above all else. The focus stays in the field. */
function Options({
  id,
  anchor,
  label,
  options,
  current,
  remark,
  take,
}: {
  id: string;
  anchor: RefObject<HTMLInputElement | null>;
  label: string;
  options: Option[];
  current: Option | undefined;
  remark: string;
  take: (option: Option) => void;
}) {
  const panel = useRef<HTMLDivElement>(null);
  useEffect(() => {
    panel.current?.showPopover({ source: anchor.current ?? undefined } as never);
  }, [anchor]);
  const chosenId = current && `${id}-${current.id}`;
  useEffect(() => {
    if (chosenId) document.getElementById(chosenId)?.scrollIntoView({ block: 'nearest' });
  }, [chosenId]);
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: The field has the keys.
    <div
      ref={panel}
      popover="manual"
      className={styles.panel}
      onMouseDown={(event) => event.preventDefault()}
    >
      <div id={`${id}-list`} role="listbox" aria-label={label} className={styles.list}>
        {options.map((option) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: The field has the keys.
          // biome-ignore lint/a11y/useFocusableInteractive: The focus stays in the field.
          <div
            key={option.id}
            id={`${id}-${option.id}`}
            role="option"
            aria-selected={option === current}
            className={optionStyles.option}
            onClick={() => take(option)}
          >
            <span>{option.text}</span>
            {option.thing && (
              <small>
                <Time at={option.thing.createdAt} />
              </small>
            )}
          </div>
        ))}
      </div>
      <p role="status" className={styles.status}>
        {remark}
      </p>
    </div>
  );
}

const stepped = (chosen: number, step: number, count: number): number =>
  (chosen + step + count) % Math.max(1, count);
