import { hexOf } from './cut-by-trace.ts';
import { isLogRecord } from './log-record.ts';
import { writeEvent, writeEventField } from './protobuf/write.ts';
import type { ReceivedSpan } from './span.ts';

/**
 * Leaves each span of a trace once; exporters repeat those that nobody answered. Of spans of one id
 * that differ, the longest stays, so that the order in which they came does not matter. The log
 * records about a span become events of it.
 */
export const uniqueSpans = <Received extends ReceivedSpan>(
  spans: Iterable<Received>,
): Received[] => [...chooseSpans(spans).values()];

/** Returns the spans that stay, each with the span that it becomes. */
export function chooseSpans<Received extends ReceivedSpan>(
  spans: Iterable<Received>,
): Map<Received, Received> {
  const chosen = new Map<string, Received>();
  const records = new Map<string, Received[]>();
  for (const received of spans) {
    const id = hexOf(received.span.spanId);
    if (isLogRecord(received.span)) {
      const known = records.get(id);
      if (known) known.push(received);
      else records.set(id, [received]);
    }
    const known = chosen.get(id);
    if (known === undefined || isPreferred(received, known)) chosen.set(id, received);
  }
  return new Map(
    Array.from(chosen, ([id, received]) => [
      received,
      withEventsOf(records.get(id) ?? [], received),
    ]),
  );
}

/** A span of its client stays before one that stands for a log record. */
function isPreferred(one: ReceivedSpan, other: ReceivedSpan): boolean {
  const [isRecord, isOtherRecord] = [isLogRecord(one.span), isLogRecord(other.span)];
  if (isRecord !== isOtherRecord) return isOtherRecord;
  const [bytes, known] = [one.bytes, other.bytes];
  return bytes.length === known.length
    ? Buffer.compare(bytes, known) > 0
    : bytes.length > known.length;
}

/** Adds the events of log records that the span does not have yet. */
function withEventsOf<Received extends ReceivedSpan>(
  records: readonly ReceivedSpan[],
  received: Received,
): Received {
  if (records.length === 0) return received;
  const known = new Set(received.span.events.map((event) => hexOf(writeEvent(event))));
  const added = records
    .toSorted((one, other) => Buffer.compare(one.bytes, other.bytes))
    .flatMap(({ span }) => span.events)
    .filter((event) => {
      const bytes = hexOf(writeEvent(event));
      return !known.has(bytes) && known.add(bytes);
    });
  if (added.length === 0) return received;
  return {
    ...received,
    span: { ...received.span, events: [...received.span.events, ...added] },
    // Fields of protobuf that stand one after the other are one message.
    bytes: Buffer.concat([received.bytes, ...added.map(writeEventField)]),
  };
}
