import { useState } from 'react';
import { Button } from '../../parts/button.tsx';
import messageStyles from '../../parts/message.module.css';
import { countOf, visible } from '../../text/format.ts';
import { Clipped } from './clipped.tsx';
import { argumentsText, partsOf } from './message-parts.ts';
import styles from './trace.module.css';
import type { Span } from './use-span.ts';

type Message = Span['inputMessages'][number];

/** The last messages of the input that are shown at first: earlier spans have the others. */
const shownMax = 30;

/** The messages that a model was given, and its answer. */
export function Conversation({ span: { inputMessages, outputMessages } }: { span: Span }) {
  const [isWhole, setWhole] = useState(false);
  const left = isWhole ? 0 : Math.max(0, inputMessages.length - shownMax);
  return (
    <div className={styles.conversation}>
      {left > 0 && (
        <Button kind="quiet" onClick={() => setWhole(true)}>
          Show {countOf(left, 'earlier message')}
        </Button>
      )}
      {inputMessages.length > 0 && (
        <section aria-label="Input">
          <Messages messages={inputMessages.slice(left)} />
        </section>
      )}
      {outputMessages.length > 0 && (
        <section aria-label="Output">
          <h3>Output</h3>
          <Messages messages={outputMessages} />
        </section>
      )}
    </div>
  );
}

const Messages = ({ messages }: { messages: Message[] }) => (
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
  message: { role, content, toolCalls = [], toolCallId },
}: {
  message: Message;
}) {
  return (
    <>
      <p className={messageStyles.role}>
        {visible(role)}
        {toolCallId && ` · answers ${visible(toolCallId)}`}
      </p>
      {partsOf(content).map(({ kind, text }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: Parts have no ids, and stay in their order.
        <Clipped key={index} text={text} isCode={kind === 'json'} />
      ))}
      {toolCalls.map(({ id, name, arguments: given }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: A call may have no id.
        <details key={index} className={styles.call} open={toolCalls.length === 1}>
          <summary>
            calls <strong>{visible(name)}</strong>
            {id && <span className={styles.soft}> · {visible(id)}</span>}
          </summary>
          <Clipped text={argumentsText(given)} isCode />
        </details>
      ))}
    </>
  );
}
