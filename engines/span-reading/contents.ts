import { byStart } from '@assay/otlp/by-start';
import { hexOf, type SpanInTrace } from '@assay/otlp/cut-by-trace';
import { isLogRecord, isRoot } from '@assay/otlp/log-record';
import { type Message, messageText } from './messages.ts';
import { isModelCall, type ReadSpan, readSpan } from './read-span.ts';
import { errorOf, type SpanError } from './span-error.ts';

/** What a trace, or a span of it, was given and gave. Data that JSON can have. */
export interface Contents {
  /** The last message of a user where it was given messages; null where nothing says. */
  input: unknown;
  /** The last message of the assistant where it gave messages; null where nothing says. */
  output: unknown;
  inputMessages: Message[];
  outputMessages: Message[];
  /** Why there is no output; null where there is one, or nothing says. */
  error: SpanError | null;
}

/** The trace as a whole, its last call of a model, or the first span of a name. */
export type ContentsPlace = 'trace' | 'last-llm' | `span:${string}`;

/**
 * Reads the input and the output of one place of a trace; undefined where there is no such span.
 * Each span comes once. The whole trace has those of its root, and where the root says nothing, the
 * input of its first call of a model and the output of its last: of a root that ended with an error,
 * what a call said on the way is no answer.
 */
export function contentsOf(
  unordered: readonly SpanInTrace[],
  place: ContentsPlace,
): Contents | undefined {
  const spans = [...unordered].sort(byStart);
  if (place.startsWith('span:')) {
    const name = place.slice('span:'.length);
    const found = spans.find(({ span }) => span.name === name);
    return found && ofSpan(found);
  }
  const isCall = (span: SpanInTrace) => isModelCall(readSpan(span));
  if (place === 'last-llm') {
    const last = spans.findLast(isCall);
    return last && ofSpan(last);
  }
  const root = topOf(spans);
  const read = root && readSpan(root);
  if (read && hasInput(read) && hasOutput(read)) return together(read, read, null);
  const calls = spans.map((span) => readSpan(span)).filter(isModelCall);
  const failure = root ? errorOf(root) : null;
  const lastAnswer = failure ? undefined : calls.findLast(hasOutput);
  return together(
    read && hasInput(read) ? read : calls.find(hasInput),
    read && hasOutput(read) ? read : lastAnswer,
    failure,
  );
}

/**
 * The root; where that was sent elsewhere, as by a browser that called the system, the one span whose
 * parent is not there.
 */
function topOf(spans: readonly SpanInTrace[]): SpanInTrace | undefined {
  const ids = new Set(spans.map(({ span }) => hexOf(span.spanId)));
  const orphans = spans.filter(
    ({ span }) => !isLogRecord(span) && !ids.has(hexOf(span.parentSpanId)),
  );
  return spans.find(({ span }) => isRoot(span)) ?? (orphans.length === 1 ? orphans[0] : undefined);
}

function ofSpan(span: SpanInTrace): Contents {
  const read = readSpan(span);
  return together(read, read, errorOf(span));
}

function together(
  first: ReadSpan | undefined,
  last: ReadSpan | undefined,
  failure: SpanError | null,
): Contents {
  const output = lastText(last?.outputMessages, 'assistant') ?? last?.output ?? null;
  const outputMessages = last?.outputMessages ?? [];
  return {
    input: lastText(first?.inputMessages, 'user') ?? first?.input ?? null,
    output,
    inputMessages: first?.inputMessages ?? [],
    outputMessages,
    error: output === null && outputMessages.length === 0 ? failure : null,
  };
}

const hasInput = ({ input }: ReadSpan): boolean => input !== undefined && input !== null;

const hasOutput = ({ output }: ReadSpan): boolean => output !== undefined && output !== null;

function lastText(messages: Message[] = [], role: string): string | undefined {
  const said = messages.findLast(
    (message) => message.role === role && messageText(message) !== undefined,
  );
  return said && messageText(said);
}
