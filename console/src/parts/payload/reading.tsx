import { use, useEffect, useMemo, useState } from 'react';
import { visible } from '../../text/format.ts';
import { pointerTo, tokenBelow } from '../../text/pointer.ts';
import { Button } from '../button.tsx';
import messageStyles from '../message.module.css';
import { ChosenText, LongText, pieceBytes } from './long-text.tsx';
import { PassagesContext } from './passages.ts';
import styles from './payload.module.css';
import {
  type JsonNode,
  type Member,
  memberAt,
  rootOf,
  scanMembers,
  stringOf,
  textOf,
} from './scan.ts';
import type { Scanner } from './scanner.ts';

/** Fields and messages that are shown at first. */
const shownMembers = 50;
/** What is larger is no message of a conversation. */
const messageBytesMax = 1024 * 1024;

/** A payload for reading: texts as text, messages as a conversation, all else as short JSON. */
export function ReadingView({
  bytes,
  scanner,
  label,
}: Omit<Reading, 'node' | 'pointer'> & {
  /** Names what scrolls for a screen reader. */
  label: string;
}) {
  const root = useMemo(() => rootOf(bytes), [bytes]);
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: What scrolls can be reached by the keyboard.
    <section className={styles.reading} aria-label={`${label}, as text`} tabIndex={0}>
      <Fields bytes={bytes} scanner={scanner} node={root} pointer="" />
    </section>
  );
}

interface Reading {
  bytes: Uint8Array;
  scanner: Scanner;
  node: JsonNode;
  /** Leads to the node; undefined where a name in it is too long to be kept. */
  pointer: string | undefined;
}

/** Bytes of a name that a pointer may have: a longer one than the API takes. */
const nameBytesMax = 8192;

/** The pointer of a field whose name is at a place in the bytes. */
function pointerOfField(
  { bytes, pointer }: Reading,
  key: { start: number; end: number },
): string | undefined {
  const { text, next } = stringOf(bytes, key, { bytesMax: nameBytesMax });
  return pointer === undefined || next !== undefined ? undefined : pointerTo(pointer, text);
}

/** The string of a chosen passage that is below a node, but not in a part that is shown as text. */
function NotShown({ isShown, ...reading }: Reading & { isShown?: (token: string) => boolean }) {
  const chosen = use(PassagesContext)?.chosen;
  const { pointer } = reading;
  if (!chosen || pointer === undefined) return null;
  const token = tokenBelow(pointer, chosen.pointer);
  if (token === undefined || isShown?.(token)) return null;
  return <ChosenText bytes={reading.bytes} scanner={reading.scanner} />;
}

function Fields(reading: Reading) {
  const { bytes, node } = reading;
  const [shown, setShown] = useState(shownMembers);
  const found = useMembers(reading, shown);
  if (node.kind !== 'object' || found?.members.length === 0) return <ReadValue {...reading} />;
  const pointers = found?.members.map(({ key }) => pointerOfField(reading, key!)) ?? [];
  return (
    <>
      {found?.members.map(({ key, value }, index) => (
        <div key={key!.start} className={styles.field}>
          <h3>{visible(stringOf(bytes, key!, { bytesMax: 200 }).text)}</h3>
          <ReadValue {...reading} node={value} pointer={pointers[index]} />
        </div>
      ))}
      {found && (
        <NotShown {...reading} isShown={(token) => pointers.includes(pointerTo('', token))} />
      )}
      {found?.hasMore && (
        <Button kind="quiet" onClick={() => setShown(shown * 2)}>
          Show more fields
        </Button>
      )}
    </>
  );
}

/** The first members of a container, and whether there are more; undefined until it is scanned. */
function useMembers({ bytes, scanner, node }: Reading, shown: number) {
  const [found, setFound] = useState<{ members: Member[]; hasMore: boolean }>();
  useEffect(() => {
    if (node.kind !== 'object' && node.kind !== 'array') return;
    let isCurrent = true;
    void scanner.members(node, shown + 1).then((offsets) => {
      const count = Math.min(offsets.length, shown);
      const members = Array.from({ length: count }, (_, index) =>
        memberAt(bytes, node, offsets, index),
      );
      if (isCurrent) setFound({ members, hasMore: offsets.length > shown });
    });
    return () => {
      isCurrent = false;
    };
  }, [bytes, scanner, node, shown]);
  return found;
}

function ReadValue(reading: Reading) {
  const { bytes, node, pointer } = reading;
  if (node.kind === 'string') return <LongText bytes={bytes} node={node} pointer={pointer} />;
  if (node.kind === 'array') return <Items {...reading} />;
  return <AsJson {...reading} />;
}

const AsJson = (reading: Reading) => (
  <>
    <pre className={styles.raw}>{visible(shortJson(reading.bytes, reading.node))}</pre>
    <NotShown {...reading} />
  </>
);

function Items(reading: Reading) {
  const { bytes, pointer } = reading;
  const [shown, setShown] = useState(shownMembers);
  const found = useMembers(reading, shown);
  const messages = found?.members.map(({ value }) => messageOf(bytes, value)) ?? [];
  if (messages.length === 0 || !messages.every((message) => message !== undefined))
    return <AsJson {...reading} />;
  const pointerAt = (index: number) =>
    pointer === undefined ? undefined : pointerTo(pointer, String(index));
  return (
    <div className={styles.messages}>
      {messages.map(({ start, role, content, rest }, index) => (
        <div key={start} className={messageStyles.message} data-role={role}>
          <p className={messageStyles.role}>{visible(role)}</p>
          {content && (
            <ReadValue
              {...reading}
              node={content}
              pointer={pointerAt(index) && `${pointerAt(index)}/content`}
            />
          )}
          {rest.length > 0 && (
            <details>
              <summary>{rest.map(({ name }) => visible(name)).join(', ')}</summary>
              {rest.map(({ name, value }) => (
                <pre key={name} className={styles.raw}>
                  {visible(shortJson(bytes, value))}
                </pre>
              ))}
            </details>
          )}
          <NotShown
            {...reading}
            pointer={pointerAt(index)}
            isShown={(token) => token === 'content'}
          />
        </div>
      ))}
      <NotShown {...reading} isShown={(token) => Number(token) < messages.length} />
      {found?.hasMore && (
        <Button kind="quiet" onClick={() => setShown(shown * 2)}>
          Show more messages
        </Button>
      )}
    </div>
  );
}

interface Message {
  start: number;
  role: string;
  content: JsonNode | undefined;
  /** Tool calls and whatever else the message has; folded. */
  rest: { name: string; value: JsonNode }[];
}

/** A message of a chat, as every provider of models writes one; undefined for anything else. */
function messageOf(bytes: Uint8Array, node: JsonNode): Message | undefined {
  if (node.kind !== 'object' || node.end - node.start > messageBytesMax) return undefined;
  const offsets = scanMembers(bytes, node, shownMembers);
  if (offsets.length === shownMembers) return undefined;
  const fields = [...offsets.keys()].map((index) => {
    const { key, value } = memberAt(bytes, node, offsets, index);
    return { name: stringOf(bytes, key!).text, value };
  });
  const role = fields.find(({ name }) => name === 'role')?.value;
  if (role?.kind !== 'string') return undefined;
  return {
    start: node.start,
    role: stringOf(bytes, role, { bytesMax: 64 }).text,
    content: fields.find(({ name, value }) => name === 'content' && value.kind !== 'null')?.value,
    rest: fields.filter(({ name }) => name !== 'role' && name !== 'content'),
  };
}

/** Indented where it is short; else its beginning as it is. */
function shortJson(bytes: Uint8Array, node: JsonNode): string {
  const text = textOf(bytes, node, pieceBytes);
  if (node.end - node.start > pieceBytes) return `${text} …`;
  // Numbers that JavaScript would write with other digits stay as they were sent.
  const value = JSON.parse(text);
  const indented = JSON.stringify(value, undefined, 2);
  return JSON.stringify(value).length === text.replace(/\s/g, '').length ? indented : text;
}
