import { parseByValue } from '@assay/json/parse';
import { use, useEffect, useMemo, useRef, useState } from 'react';
import { argumentsInShort } from '../../text/call-text.ts';
import { visible } from '../../text/format.ts';
import {
  type PictureData,
  pictureLengthMax,
  pictureOf,
  pictureTypes,
} from '../../text/pictures.ts';
import { pointerTo } from '../../text/pointer.ts';
import { Button } from '../button.tsx';
import { HostileLink } from '../markdown.tsx';
import messageStyles from '../message.module.css';
import { type Answer, answersOf, shownEntries } from './answers.ts';
import { useAsWritten } from './as-written.ts';
import {
  type Call,
  type Entry,
  entriesOf,
  type Message,
  type PicturePart,
  type Place,
  type Rest,
} from './entries.ts';
import { pieceBytes } from './long-text.tsx';
import { PassagesContext } from './passages.ts';
import styles from './payload.module.css';
import { Picture } from './picture.tsx';
import {
  AsJson,
  NotShown,
  type Reading,
  ShortJson,
  shownMembers,
  useMembers,
  type ValueView,
} from './reading-parts.tsx';
import { stringOf, textOf } from './scan.ts';

/** The members of a list: a conversation, else JSON. */
export function Items({ Value, ...reading }: Reading & { Value: ValueView }) {
  const { bytes, pointer } = reading;
  const [shown, setShown] = useState(shownMembers);
  const found = useMembers(reading, shown);
  const entries = useMemo(
    () =>
      entriesOf(
        bytes,
        (found?.members ?? []).map(({ value }, index) => ({
          node: value,
          pointer: pointer === undefined ? undefined : pointerTo(pointer, String(index)),
        })),
      ),
    [bytes, pointer, found],
  );
  if (!entries) return <AsJson {...reading} />;
  return (
    <>
      <Conversation {...reading} entries={entries} Value={Value} />
      <NotShown {...reading} isShown={(token) => Number(token) < entries.length} />
      {found?.hasMore && (
        <Button kind="quiet" onClick={() => setShown(shown * 2)}>
          Show more messages
        </Button>
      )}
    </>
  );
}

interface EntryContext extends Pick<Reading, 'bytes' | 'scanner'> {
  Value: ValueView;
  answers: Map<Call, Answer>;
}

/** Messages, parts and calls in their order, each result under its call. */
export function Conversation({
  bytes,
  scanner,
  entries,
  Value,
}: Omit<EntryContext, 'answers'> & { entries: Entry[] }) {
  const answers = useMemo(() => answersOf(entries), [entries]);
  return (
    <Entries bytes={bytes} scanner={scanner} Value={Value} answers={answers} entries={entries} />
  );
}

function Entries({ entries, ...context }: EntryContext & { entries: Entry[] }) {
  const answers = new Set<Entry>(context.answers.values());
  return (
    <div className={styles.messages}>
      {shownEntries(entries, answers).map((entry) => (
        <EntryView key={entry.node.start} entry={entry} {...context} />
      ))}
    </div>
  );
}

function EntryView({ entry, ...context }: EntryContext & { entry: Entry }) {
  switch (entry.kind) {
    case 'message':
      return (
        <div className={messageStyles.message} data-role={entry.role}>
          <p className={messageStyles.role}>{visible(entry.role)}</p>
          <EntryBody entry={entry} {...context} />
        </div>
      );
    case 'call':
      return <CallView call={entry} {...context} />;
    case 'result':
      return <ResultView answer={entry} {...context} />;
    default:
      return (
        <div>
          <EntryBody entry={entry} {...context} />
        </div>
      );
  }
}

/** The texts of an entry, then its other fields, folded. */
function EntryBody({ entry, ...context }: EntryContext & { entry: Entry }) {
  const { bytes, scanner } = context;
  const place = { bytes, scanner, node: entry.node, pointer: entry.pointer };
  return (
    <>
      <Shown entry={entry} {...context} />
      <FoldedRest bytes={bytes} rest={entry.rest} />
      <NotShown {...place} isShown={(token) => entry.drawn.includes(token)} />
    </>
  );
}

function Shown({ entry, ...context }: EntryContext & { entry: Entry }) {
  const { bytes, scanner, Value } = context;
  const read = (place: Place | undefined) =>
    place && <Value bytes={bytes} scanner={scanner} {...place} />;
  switch (entry.kind) {
    case 'message':
      return <MessageContent message={entry} {...context} />;
    case 'text':
      return (
        <>
          {entry.name && <p className={messageStyles.role}>{entry.name}</p>}
          {read(entry.text)}
        </>
      );
    case 'picture':
      return <PictureView part={entry} {...context} />;
    case 'result':
      return read(entry.content);
    case 'call':
      return null;
    case 'other':
      return <ShortJson bytes={bytes} node={entry.node} />;
  }
}

function MessageContent({ message, ...context }: EntryContext & { message: Message }) {
  const { bytes, scanner, Value } = context;
  const { content, parts, calls } = message;
  return (
    <>
      {parts ? (
        <Entries entries={parts} {...context} />
      ) : (
        content && <Value bytes={bytes} scanner={scanner} {...content} />
      )}
      {calls.map((call) => (
        <CallView key={call.node.start} call={call} {...context} />
      ))}
    </>
  );
}

/** A call of a tool in one line; its result is folded under it. */
function CallView({ call, ...context }: EntryContext & { call: Call }) {
  const { bytes, answers } = context;
  const answer = answers.get(call);
  const element = useRef<HTMLDetailsElement>(null);
  const [isOpen, setOpen] = useState(false);
  const chosen = use(PassagesContext)?.chosen;
  const isChosen =
    chosen !== undefined &&
    [call, answer].some((one) => one?.pointer && chosen.pointer.startsWith(`${one.pointer}/`));
  // biome-ignore lint/correctness/useExhaustiveDependencies: Each time that one is chosen.
  useEffect(() => {
    if (isChosen) setOpen(true);
  }, [isChosen, chosen]);
  useEffect(() => {
    if (isOpen && isChosen)
      element.current?.querySelector('[data-chosen]')?.scrollIntoView({ block: 'nearest' });
  }, [isOpen, isChosen]);
  const { text, isWhole } = argumentsOf(bytes, call);
  return (
    <details
      ref={element}
      className={styles.call}
      open={isOpen}
      onToggle={({ currentTarget }) => setOpen(currentTarget.open)}
    >
      <summary>
        <code>
          <strong>{visible(call.name)}</strong>({visible(text)})
        </code>
        {!answer && <span className={styles.quiet}> · no result here</span>}
      </summary>
      {!isWhole && call.given && <ShortJson bytes={bytes} node={call.given.node} />}
      <EntryBody entry={call} {...context} />
      {answer && <ResultView answer={answer} {...context} />}
    </details>
  );
}

function argumentsOf(bytes: Uint8Array, { given }: Call): { text: string; isWhole: boolean } {
  if (!given) return { text: '', isWhole: true };
  const { node } = given;
  if (node.end - node.start > pieceBytes)
    return { text: `${textOf(bytes, node, shownMembers)} …`, isWhole: false };
  return argumentsInShort(parseByValue(textOf(bytes, node)));
}

const ResultView = ({ answer, ...context }: EntryContext & { answer: Answer }) => (
  <div className={messageStyles.message} data-role="tool">
    <p className={messageStyles.role}>Result</p>
    <EntryBody entry={answer} {...context} />
  </div>
);

/** A picture that the payload has in it; one elsewhere is a link, so that nothing is loaded. */
function PictureView({ part: { source, type }, ...context }: EntryContext & { part: PicturePart }) {
  const { bytes, scanner, Value } = context;
  const { node } = source;
  const [isAsWritten] = useAsWritten();
  const asWritten = <Value bytes={bytes} scanner={scanner} {...source} />;
  const drawn = useMemo((): PictureData | string | undefined => {
    if (node.end - node.start > pictureLengthMax) return undefined;
    const { text } = stringOf(bytes, node);
    if (type !== undefined) return pictureTypes.includes(type) ? { type, base64: text } : undefined;
    return pictureOf(text) ?? (/^https?:/i.test(text) ? text : undefined);
  }, [bytes, node, type]);
  if (drawn === undefined || isAsWritten) return asWritten;
  if (typeof drawn !== 'string') return <Picture picture={drawn}>{asWritten}</Picture>;
  return (
    <p className={styles.text}>
      Picture: <HostileLink href={drawn} text={visible(drawn)} />
    </p>
  );
}

function FoldedRest({ bytes, rest }: { bytes: Uint8Array; rest: Rest[] }) {
  if (rest.length === 0) return null;
  return (
    <details>
      <summary>{rest.map(({ name }) => visible(name)).join(', ')}</summary>
      {rest.map(({ name, node }) => (
        <ShortJson key={name} bytes={bytes} node={node} />
      ))}
    </details>
  );
}
