import { type RefObject, useEffect, useRef, useState } from 'react';
import { useChange } from '../../api/query.ts';
import { Button } from '../../parts/button.tsx';
import { Actions, Dialog } from '../../parts/dialog.tsx';
import { Choice, Field, problemAt } from '../../parts/field.tsx';
import { passageBetween } from '../../parts/payload/passage.ts';
import { Problem } from '../../parts/problem.tsx';
import { useShortcuts } from '../../parts/shortcuts.ts';
import { countOf, visible } from '../../text/format.ts';
import styles from './record.module.css';
import type { DrawnText } from './use-annotations.tsx';

/** A part of a drawn text, in the places of what is drawn. */
interface TextSelection {
  element: Element;
  start: number;
  end: number;
}

/** Offers to annotate the text that is selected; by the keyboard, any text that is drawn. */
export function Annotate({
  recordId,
  texts,
}: {
  recordId: string;
  texts: RefObject<Map<Element, DrawnText>>;
}) {
  const [offer, setOffer] = useState<{ left: number; top: number }>();
  const [started, setStarted] = useState<{ texts: DrawnText[]; index: number } & Places>();
  useEffect(() => {
    let isDown = false;
    const show = () => {
      const selected = isDown ? undefined : selectedIn(texts.current);
      setOffer(selected && placeBelowSelection());
    };
    const onDown = () => {
      isDown = true;
    };
    const onUp = () => {
      isDown = false;
      show();
    };
    document.addEventListener('selectionchange', show);
    document.addEventListener('pointerdown', onDown);
    document.addEventListener('pointerup', onUp);
    document.addEventListener('pointercancel', onUp);
    document.addEventListener('scroll', show, { capture: true, passive: true });
    return () => {
      document.removeEventListener('selectionchange', show);
      document.removeEventListener('pointerdown', onDown);
      document.removeEventListener('pointerup', onUp);
      document.removeEventListener('pointercancel', onUp);
      document.removeEventListener('scroll', show, { capture: true });
    };
  }, [texts]);
  const start = () => {
    const elements = [...texts.current.keys()].sort(byPlaceInPage);
    const selected = selectedIn(texts.current) ?? wholeOf(elements, texts.current);
    if (!selected) return;
    setStarted({
      texts: elements.map((element) => texts.current.get(element)!),
      index: elements.indexOf(selected.element),
      start: selected.start,
      end: selected.end,
    });
  };
  useShortcuts({ annotate: start });
  return (
    <>
      {offer && !started && (
        <div className={styles.offer} style={offer}>
          {/* Pressing the button must not end the selection. */}
          <Button kind="main" onPointerDown={(event) => event.preventDefault()} onClick={start}>
            Annotate <kbd>a</kbd>
          </Button>
        </div>
      )}
      {started && (
        <AnnotationDialog
          recordId={recordId}
          {...started}
          onClose={() => {
            document.getSelection()?.removeAllRanges();
            setStarted(undefined);
          }}
        />
      )}
    </>
  );
}

interface Places {
  start: number;
  end: number;
}

/** The selection of the page, as far as it is within the text in which it begins. */
function selectedIn(texts: Map<Element, DrawnText>): TextSelection | undefined {
  const selection = document.getSelection();
  if (!selection || selection.isCollapsed || selection.rangeCount === 0) return undefined;
  const range = selection.getRangeAt(0);
  const element = [...texts.keys()].find((one) => one.contains(range.startContainer));
  if (!element) return undefined;
  const { text, isFormatted } = texts.get(element)!;
  if (isFormatted) return { element, ...placesIn(visible(text), `${selection}`.trim()) };
  const length = element.textContent!.length;
  const start = lengthUpTo(element, range.startContainer, range.startOffset);
  const end = element.contains(range.endContainer)
    ? lengthUpTo(element, range.endContainer, range.endOffset)
    : length;
  return start < end ? { element, start, end } : undefined;
}

/** The only place of a part in a text; the whole text where there is none, or several. */
function placesIn(text: string, part: string): Places {
  const start = part === '' ? -1 : text.indexOf(part);
  return start >= 0 && text.lastIndexOf(part) === start
    ? { start, end: start + part.length }
    : { start: 0, end: text.length };
}

/** The length of an element's text before a place in it. */
function lengthUpTo(element: Element, container: Node, offset: number): number {
  const before = document.createRange();
  before.setStart(element, 0);
  before.setEnd(container, offset);
  return before.toString().length;
}

/** Without a selection: the first text of the payload that has the focus, else of all. */
function wholeOf(elements: Element[], texts: Map<Element, DrawnText>): TextSelection | undefined {
  const payload = document.activeElement?.closest('[data-payload]');
  const element = elements.find((one) => payload?.contains(one)) ?? elements[0];
  return element && { element, start: 0, end: visible(texts.get(element)!.text).length };
}

const byPlaceInPage = (one: Element, other: Element): number =>
  one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING ? -1 : 1;

/** Below the end of the selection, within the window. */
function placeBelowSelection(): { left: number; top: number } | undefined {
  const rects = document.getSelection()!.getRangeAt(0).getClientRects();
  const last = rects[rects.length - 1];
  if (!last || last.bottom < 0 || last.top > innerHeight) return undefined;
  return {
    left: Math.max(8, Math.min(last.right, innerWidth - 140)),
    top: Math.min(last.bottom + 6, innerHeight - 48),
  };
}

function AnnotationDialog({
  recordId,
  texts,
  onClose,
  ...first
}: {
  recordId: string;
  texts: DrawnText[];
  index: number;
  onClose: () => void;
} & Places) {
  const [index, setIndex] = useState(first.index);
  const [places, setPlaces] = useState<Places>(first);
  const field = useRef<HTMLTextAreaElement>(null);
  const add = useChange('POST', '/records/:recordId/annotations', {
    refreshes: ['/records/:recordId/annotations'],
  });
  const [problem, setProblem] = useState<string>();
  const text = texts[index]!;
  const passage = passageBetween(text, places.start, places.end);
  // biome-ignore lint/correctness/useExhaustiveDependencies: Where another text is shown.
  useEffect(() => {
    const shown = field.current!;
    shown.setSelectionRange(places.start, places.end);
    // The first line of the passage is in view, as far as the share of the text says it.
    shown.scrollTop = (shown.scrollHeight * places.start) / shown.value.length - 40;
  }, [index]);
  return (
    <Dialog title="Annotate a passage" onClose={onClose}>
      <form
        className={styles.annotate}
        onSubmit={(event) => {
          event.preventDefault();
          const form = new FormData(event.currentTarget);
          const comment = `${form.get('comment')}`.trim();
          const rating = form.get('rating');
          if (comment === '' && rating === '') return setProblem('Write one, or choose a rating.');
          if (!passage) return;
          add.mutate(
            {
              params: { recordId },
              body: {
                ...(comment ? { comment } : {}),
                ...(rating ? { rating: rating === 'good' } : {}),
                passage: { ...passage, payload: text.payload },
              },
            },
            { onSuccess: onClose },
          );
        }}
      >
        {texts.length > 1 && (
          <Choice
            label="Text"
            value={index}
            onChange={({ target }) => {
              const chosen = Number(target.value);
              setIndex(chosen);
              setPlaces({ start: 0, end: visible(texts[chosen]!.text).length });
            }}
          >
            {texts.map(({ payload, pointer, before }, place) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: The list does not change.
              <option key={place} value={place}>
                {payload}
                {visible(pointer)}
                {before > 0 && `, from character ${before}`}
              </option>
            ))}
          </Choice>
        )}
        <label className={styles.passage}>
          Passage: the selected part
          <textarea
            ref={field}
            readOnly
            rows={5}
            value={visible(text.text)}
            onSelect={({ currentTarget: { selectionStart: start, selectionEnd: end } }) =>
              setPlaces({ start, end })
            }
          />
        </label>
        <p className={styles.hint} role="status">
          {passage
            ? `“${shortened(visible(passage.text))}”, ${countOf(passage.end - passage.start, 'character')}`
            : 'Nothing is selected.'}
        </p>
        <Choice label="Rating" name="rating">
          <option value="">none</option>
          <option value="good">good</option>
          <option value="bad">bad</option>
        </Choice>
        <Field
          label="Comment"
          name="comment"
          rows={3}
          data-focus-first
          problem={problem ?? problemAt(add.error, '/comment')}
        />
        {add.error && <Problem error={add.error} />}
        <Actions>
          <Button onClick={onClose}>Cancel</Button>
          <Button kind="main" type="submit" isBusy={add.isPending} disabled={!passage}>
            Save
          </Button>
        </Actions>
      </form>
    </Dialog>
  );
}

const shortened = (text: string): string => (text.length > 80 ? `${text.slice(0, 80)} …` : text);
