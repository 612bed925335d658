import { type KeyboardEvent, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { Field } from './fields.ts';
import { Tags, tagsIn } from './tags.tsx';
import { type TestcaseItem, valueIn } from './testcase.ts';
import styles from './testset.module.css';
import type { CellEditing } from './use-cell-edit.ts';

/** One value of a testcase, with its errors. A click begins to edit it. */
export function Cell({
  testcase,
  field,
  fields,
  errors,
  isInvalid,
  isTags,
  editing,
}: {
  testcase: TestcaseItem;
  field: Field;
  fields: Field[];
  errors: string[];
  /** Shows the badge of an invalid testcase. */
  isInvalid: boolean;
  /** Shows the value as tags, where it is some. */
  isTags: boolean;
  editing: CellEditing;
}) {
  if (editing.isAt(testcase.id, field.name))
    return <CellEditor {...{ testcase, field, fields, editing }} />;
  const value = valueIn(testcase, field.name);
  const tags = isTags && value ? tagsIn(value.text, value.isJson) : undefined;
  return (
    <button
      type="button"
      className={styles.cell}
      tabIndex={-1}
      data-cell={cellName(testcase.id, field.name)}
      aria-label={`${field.name}: ${tags?.join(' ') ?? value?.text ?? 'nothing'}${isInvalid ? ', invalid testcase' : ''}${errors.map((error) => `, ${error}`).join('')}. Edit`}
      onClick={() => void editing.begin(testcase.id, field)}
    >
      <span className={value?.isJson ? styles.json : styles.value}>
        {isInvalid && <strong className={styles.badge}>✗ invalid</strong>}
        {tags ? <Tags tags={tags} /> : (value?.text ?? <span className={styles.nothing}>–</span>)}
      </span>
      {errors.length > 0 && (
        <span className={styles.error} title={errors.join('\n')}>
          {errors.join(' ')}
        </span>
      )}
    </button>
  );
}

const cellName = (testcaseId: string, name: string): string => `${testcaseId} ${name}`;

/** Enter stores, Tab stores and goes on to the next field, Escape takes back. */
function CellEditor({
  testcase,
  field,
  fields,
  editing,
}: {
  testcase: TestcaseItem;
  field: Field;
  fields: Field[];
  editing: CellEditing;
}) {
  const { draft, isJson, problem, isSaving } = editing.edit!;
  const area = useRef<HTMLTextAreaElement>(null);
  const isLeaving = useRef(false);
  const [isFlipped, setFlipped] = useState(false);
  useLayoutEffect(() => {
    const { right } = area.current!.getBoundingClientRect();
    const grid = area.current!.closest('[role="grid"]')?.getBoundingClientRect();
    setFlipped(grid !== undefined && right > grid.right);
  }, []);
  useEffect(() => {
    area.current?.focus();
    area.current?.select();
  }, []);
  const focusCell = () =>
    requestAnimationFrame(() =>
      document
        .querySelector<HTMLElement>(
          `[data-cell="${CSS.escape(cellName(testcase.id, field.name))}"]`,
        )
        ?.focus(),
    );
  const save = async (then: () => void) => {
    isLeaving.current = true;
    if (await editing.save()) then();
    isLeaving.current = false;
  };
  const onKeyDown = (event: KeyboardEvent) => {
    event.stopPropagation();
    if (event.nativeEvent.isComposing) return;
    const step = event.shiftKey ? -1 : 1;
    const next = fields[fields.indexOf(field) + step];
    if (event.key === 'Escape') {
      isLeaving.current = true;
      editing.cancel();
      focusCell();
    } else if (event.key === 'Enter' && !event.shiftKey) {
      event.preventDefault();
      void save(focusCell);
    } else if (event.key === 'Tab' && next) {
      event.preventDefault();
      void save(() => void editing.begin(testcase.id, next));
    }
  };
  return (
    <div className={`${styles.editor} ${isFlipped ? styles.flipped : ''}`}>
      <textarea
        ref={area}
        className={isJson ? styles.jsonArea : styles.area}
        aria-label={`${field.name}${isJson ? ' (JSON)' : ''}`}
        aria-invalid={problem !== undefined}
        aria-describedby={problem && 'cell-problem'}
        value={draft}
        readOnly={isSaving}
        aria-busy={isSaving}
        rows={Math.min(12, Math.max(2, draft.split('\n').length, Math.ceil(draft.length / 40)))}
        onChange={({ target }) => editing.type(target.value)}
        onKeyDown={onKeyDown}
        onBlur={() => {
          if (!isLeaving.current) void save(() => undefined);
        }}
      />
      {problem && (
        <p id="cell-problem" role="alert" className={styles.problem}>
          {problem}
        </p>
      )}
      <p className={styles.keys}>
        <kbd>Enter</kbd> saves, <kbd>Shift</kbd>+<kbd>Enter</kbd> new line, <kbd>Esc</kbd> takes
        back
      </p>
    </div>
  );
}
