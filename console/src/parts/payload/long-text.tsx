import { Fragment, use, useEffect, useMemo, useRef, useState } from 'react';
import { formatBytes, visible } from '../../text/format.ts';
import { Button } from '../button.tsx';
import { countCharacters, nodeAt, type Piece, segmentsOf } from './passage.ts';
import { PassagesContext } from './passages.ts';
import styles from './payload.module.css';
import { type JsonNode, stringOf } from './scan.ts';
import type { Scanner } from './scanner.ts';

/** Text is shown by pieces of this many bytes. */
export const pieceBytes = 64 * 1024;

/** Where a piece of a string begins. */
interface Place {
  /** In bytes. */
  from: number;
  /** In characters. */
  before: number;
}

const start: Place = { from: 0, before: 0 };

interface LongTextProps {
  bytes: Uint8Array;
  node: JsonNode;
  /** Leads to the string; undefined where it has no pointer that can be kept. */
  pointer: string | undefined;
}

/** A string piece by piece, with its passages. The piece of a passage that is chosen is shown. */
export function LongText({ bytes, node, pointer }: LongTextProps) {
  const [place, setPlace] = useState(start);
  const chosen = use(PassagesContext)?.chosen;
  useEffect(() => {
    if (chosen && chosen.pointer === pointer) setPlace(placeOf(bytes, node, chosen.start));
  }, [bytes, node, pointer, chosen]);
  const { from, before } = place;
  const { text, next } = stringOf(bytes, node, { from, bytesMax: pieceBytes });
  const size = node.end - node.start;
  return (
    <>
      {pointer === undefined ? (
        <p className={styles.text}>{visible(text)}</p>
      ) : (
        <PieceText pointer={pointer} text={text} before={before} />
      )}
      {(next !== undefined || from > 0) && (
        <p className={styles.foot}>
          {formatBytes(from)} to {formatBytes(next ?? size)} of {formatBytes(size)}
          <Button kind="quiet" disabled={from === 0} onClick={() => setPlace(start)}>
            To the start
          </Button>
          <Button
            kind="quiet"
            disabled={next === undefined}
            onClick={() => setPlace({ from: next!, before: before + countCharacters(text) })}
          >
            Continue
          </Button>
        </p>
      )}
    </>
  );
}

/** The piece of a string that holds a character. */
function placeOf(bytes: Uint8Array, node: JsonNode, character: number): Place {
  let place = start;
  for (;;) {
    const { text, next } = stringOf(bytes, node, { from: place.from, bytesMax: pieceBytes });
    const before = place.before + countCharacters(text);
    if (character < before || next === undefined) return place;
    place = { from: next, before };
  }
}

const none: never[] = [];

/** A piece with its passages, each a link to what is said of it. */
function PieceText({ pointer, text, before }: Piece) {
  const passages = use(PassagesContext);
  const element = useRef<HTMLParagraphElement>(null);
  const piece = useMemo(() => ({ pointer, text, before }), [pointer, text, before]);
  const know = passages?.know;
  useEffect(() => know?.(element.current!, piece), [know, piece]);
  const { shown = none, chosen, linkOf } = passages ?? {};
  const segments = useMemo(() => segmentsOf(piece, shown), [piece, shown]);
  // biome-ignore lint/correctness/useExhaustiveDependencies: Again when its piece is drawn.
  useEffect(() => {
    const drawn = element.current?.querySelector('[data-chosen]');
    if (chosen?.pointer === pointer) drawn?.scrollIntoView({ block: 'nearest' });
  }, [chosen, segments]);
  return (
    <p ref={element} className={styles.text}>
      {segments.map(({ text, passages: [passage, ...others] }, index) => {
        // biome-ignore lint/suspicious/noArrayIndexKey: Segments have no other name.
        if (!passage || !linkOf) return <Fragment key={index}>{text}</Fragment>;
        const isChosen = [passage, ...others].some(({ id }) => id === chosen?.id);
        return (
          <mark
            // biome-ignore lint/suspicious/noArrayIndexKey: Segments have no other name.
            key={index}
            className={styles.passage}
            data-chosen={isChosen || undefined}
          >
            {linkOf(others.find(({ id }) => id === chosen?.id) ?? passage, text)}
          </mark>
        );
      })}
    </p>
  );
}

/** The string of a passage that is chosen, where the view does not show it as a text. */
export function ChosenText({ bytes, scanner }: { bytes: Uint8Array; scanner: Scanner }) {
  const chosen = use(PassagesContext)?.chosen;
  const [found, setFound] = useState<{ pointer: string; node: JsonNode }>();
  const pointer = chosen?.pointer;
  useEffect(() => {
    if (pointer === undefined) return;
    let isCurrent = true;
    void nodeAt(bytes, scanner, pointer).then((node) => {
      if (isCurrent) setFound(node?.kind === 'string' ? { pointer, node } : undefined);
    });
    return () => {
      isCurrent = false;
    };
  }, [bytes, scanner, pointer]);
  if (!found || found.pointer !== pointer) return null;
  return <StringPane bytes={bytes} {...found} />;
}

/** A string of a payload as a text of its own. */
export const StringPane = ({ pointer, ...rest }: LongTextProps & { pointer: string }) => (
  // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by the keyboard.
  <section className={styles.pane} aria-label={`Text at ${visible(pointer)}`} tabIndex={0}>
    <h3>{visible(pointer)}</h3>
    <LongText key={pointer} pointer={pointer} {...rest} />
  </section>
);
