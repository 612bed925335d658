import { formatDuration, visible } from '../../text/format.ts';
import { AttributeList } from './attributes.tsx';
import styles from './trace.module.css';
import type { Span } from './use-span.ts';

/** The events of a span, each with the time since the span began. */
export function Events({ span: { events, startedAt } }: { span: Span }) {
  if (events.length === 0) return <p className={styles.none}>The span has no events.</p>;
  return (
    <ol className={styles.sections}>
      {events.map(({ name, at, attributes }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: Events have no ids, and stay in their order.
        <li key={index}>
          <h3>
            {visible(name)} <span className={styles.soft}>{sinceText(startedAt, at)}</span>
          </h3>
          <AttributeList attributes={attributes} />
        </li>
      ))}
    </ol>
  );
}

function sinceText(startedAt: string, at: string): string {
  const ms = Date.parse(at) - Date.parse(startedAt);
  return ms < 0 ? `${formatDuration(-ms)} before the start` : `after ${formatDuration(ms)}`;
}
