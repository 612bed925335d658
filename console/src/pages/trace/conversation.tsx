import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import messageStyles from '../../parts/message.module.css';
import { countOf, visible } from '../../text/format.ts';
import { Clipped } from './clipped.tsx';
import { argumentsText, type MessagePart, partsOf } from './message-parts.ts';
import { MessagePicture } from './message-picture.tsx';
import { type AnsweredCall, type ShownMessage, withResults } from './results-of-calls.ts';
import styles from './trace.module.css';
import type { Span } from './use-span.ts';

type Message = Span['inputMessages'][number];

/** The last messages of the input that are shown at first: earlier spans have the others. */
const shownMax = 30;
/** Characters of a system's prompt that is not folded. */
const promptMax = 300;

/** The messages of a conversation, and its answer, each result of a tool below its call. */
export function Conversation({ given, answered }: { given: Message[]; answered: Message[] }) {
  const [isWhole, setWhole] = useState(false);
  const input = withResults(given);
  const output = withResults(answered);
  const left = isWhole ? 0 : Math.max(0, input.length - shownMax);
  return (
    <div className={styles.conversation}>
      {left > 0 && (
        <Button kind="quiet" onClick={() => setWhole(true)}>
          Show {countOf(left, 'earlier message')}
        </Button>
      )}
      {input.length > 0 && (
        <section aria-label="Input">
          <Messages messages={input.slice(left)} />
        </section>
      )}
      {output.length > 0 && (
        <section aria-label="Output">
          <h3>Output</h3>
          <Messages messages={output} />
        </section>
      )}
    </div>
  );
}

const Messages = ({ messages }: { messages: ShownMessage[] }) => (
  <ol className={styles.messages}>
    {messages.map((message, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: Messages have no ids, and stay in their order.
      <li key={index} className={messageStyles.message} data-role={message.role}>
        <MessageText message={message} />
      </li>
    ))}
  </ol>
);

function MessageText({
  message: { role, content, reasoning, calls, toolCallId },
}: {
  message: ShownMessage;
}) {
  const parts = partsOf(content);
  const isFolded = role === 'system' && lengthOf(parts) > promptMax;
  return (
    <>
      <p className={messageStyles.role}>
        {visible(role)}
        {toolCallId && ` · answers ${visible(toolCallId)}`}
      </p>
      {reasoning && (
        <details className={styles.call}>
          <summary>thought first</summary>
          <Clipped text={reasoning} />
        </details>
      )}
      {isFolded ? (
        <details className={styles.call}>
          <summary>{visible(parts[0]!.text.slice(0, 100))} …</summary>
          <MessageContent parts={parts} />
        </details>
      ) : (
        <MessageContent parts={parts} />
      )}
      {calls.map((call, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: A call may have no id.
        <Call key={index} call={call} isOpen={calls.length === 1} />
      ))}
    </>
  );
}

const lengthOf = (parts: MessagePart[]): number =>
  parts.reduce((sum, { text }) => sum + text.length, 0);

const MessageContent = ({ parts }: { parts: MessagePart[] }) =>
  parts.map(({ kind, text }, index) =>
    kind === 'picture' ? (
      // biome-ignore lint/suspicious/noArrayIndexKey: Parts have no ids, and stay in their order.
      <MessagePicture key={index} address={text} />
    ) : (
      // biome-ignore lint/suspicious/noArrayIndexKey: Parts have no ids, and stay in their order.
      <Clipped key={index} text={text} isCode={kind === 'json'} />
    ),
  );

function Call({
  call: { id, name, arguments: given, results },
  isOpen,
}: {
  call: AnsweredCall;
  isOpen: boolean;
}) {
  return (
    <details className={styles.call} open={isOpen}>
      <summary>
        calls <strong>{visible(name)}</strong>
        {id && <span className={styles.soft}> · {visible(id)}</span>}
      </summary>
      <Clipped text={argumentsText(given)} isCode />
      {results.map((content, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: Results have no ids, and stay in their order.
        <div key={index} className={styles.result}>
          <p className={messageStyles.role}>result</p>
          <MessageContent parts={partsOf(content)} />
        </div>
      ))}
    </details>
  );
}
