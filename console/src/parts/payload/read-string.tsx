import { type ReactNode, use, useEffect, useMemo, useRef } from 'react';
import { looksLikeMarkdown } from '../../text/looks-like-markdown.ts';
import { type PictureData, pictureLengthMax, pictureOf } from '../../text/pictures.ts';
import { isReadableJson } from '../../text/readable-json.ts';
import { Markdown, markdownLengthMax } from '../markdown.tsx';
import { useAsWritten } from './as-written.ts';
import { LongText } from './long-text.tsx';
import { PassagesContext } from './passages.ts';
import { Picture } from './picture.tsx';
import type { Reading, ValueView } from './reading-parts.tsx';
import { type JsonNode, rootOf, stringOf } from './scan.ts';
import { createScanner } from './scanner.ts';

/**
 * A string in the form that it has: a picture, JSON or Markdown. A string with annotated passages is
 * shown as it was written, since their offsets count its own characters.
 */
export function ReadString({ Value, ...reading }: Reading & { Value: ValueView }) {
  const { bytes, node, pointer } = reading;
  const [isAsWritten] = useAsWritten();
  const passages = use(PassagesContext)?.shown;
  const isPlain = isAsWritten || (passages?.some((one) => one.pointer === pointer) ?? false);
  const form = useMemo(() => (isPlain ? undefined : formOf(bytes, node)), [bytes, node, isPlain]);
  const asWritten = <LongText bytes={bytes} node={node} pointer={pointer} />;
  switch (form?.kind) {
    case undefined:
      return asWritten;
    case 'picture':
      return <Picture picture={form.picture}>{asWritten}</Picture>;
    case 'json':
      return (
        <Formatted text={form.text} pointer={pointer}>
          <JsonText text={form.text} Value={Value} />
        </Formatted>
      );
    case 'markdown':
      return (
        <Formatted text={form.text} pointer={pointer}>
          <Markdown text={form.text} />
        </Formatted>
      );
  }
}

type Form = { kind: 'picture'; picture: PictureData } | { kind: 'json' | 'markdown'; text: string };

/** The form of a string that is no plain text. */
function formOf(bytes: Uint8Array, node: JsonNode): Form | undefined {
  const size = node.end - node.start;
  if (size > pictureLengthMax) return undefined;
  if (stringOf(bytes, node, { bytesMax: 32 }).text.startsWith('data:image/')) {
    const picture = pictureOf(stringOf(bytes, node).text);
    return picture && { kind: 'picture', picture };
  }
  if (size > markdownLengthMax) return undefined;
  const { text } = stringOf(bytes, node);
  if (isReadableJson(text)) return { kind: 'json', text };
  return looksLikeMarkdown(text) ? { kind: 'markdown', text } : undefined;
}

/** A text in another form than it was written: its passages are chosen in the text itself. */
function Formatted({
  text,
  pointer,
  children,
}: {
  text: string;
  pointer: string | undefined;
  children: ReactNode;
}) {
  const element = useRef<HTMLDivElement>(null);
  const know = use(PassagesContext)?.know;
  useEffect(() => {
    if (pointer === undefined) return;
    return know?.(element.current!, { pointer, text, before: 0, isFormatted: true });
  }, [know, pointer, text]);
  return <div ref={element}>{children}</div>;
}

/** JSON that a string says, which has no pointers of its own in the payload. */
function JsonText({ text, Value }: { text: string; Value: ValueView }) {
  const reading = useMemo(() => {
    const bytes = new TextEncoder().encode(text);
    return { bytes, scanner: createScanner(bytes), node: rootOf(bytes), pointer: undefined };
  }, [text]);
  return <Value {...reading} />;
}
