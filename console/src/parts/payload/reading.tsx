import { useMemo, useState } from 'react';
import { visible } from '../../text/format.ts';
import { pointerTo } from '../../text/pointer.ts';
import { Button } from '../button.tsx';
import { Conversation, Items } from './conversation.tsx';
import { type Entry, entryOf } from './entries.ts';
import styles from './payload.module.css';
import { ReadString } from './read-string.tsx';
import { AsJson, NotShown, type Reading, shownMembers, useMembers } from './reading-parts.tsx';
import { rootOf, stringOf } from './scan.ts';

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

function ReadValue(reading: Reading) {
  switch (reading.node.kind) {
    case 'string':
      return <ReadString {...reading} Value={ReadValue} />;
    case 'array':
      return <Items {...reading} Value={ReadValue} />;
    case 'object':
      return <ReadObject {...reading} />;
    default:
      return <AsJson {...reading} />;
  }
}

/** An object: a message or a part of one, else JSON. */
function ReadObject(reading: Reading) {
  const { bytes, node, pointer } = reading;
  const entries = useMemo((): Entry[] | undefined => {
    const entry = entryOf(bytes, { node, pointer });
    const isEmpty = entry?.kind === 'message' && !entry.content && entry.calls.length === 0;
    return !entry || entry.kind === 'other' || isEmpty ? undefined : [entry];
  }, [bytes, node, pointer]);
  if (!entries) return <AsJson {...reading} />;
  return <Conversation {...reading} entries={entries} Value={ReadValue} />;
}
