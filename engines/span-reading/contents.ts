import type { SpanInTrace } from '@assay/otlp/cut-by-trace';
import { hasContent } from './content.ts';
import { nameOf } from './line-of.ts';
import type { Message } from './messages.ts';
import { type ReadPair, readPairs, topPairOf } from './read-pairs.ts';
import { isModelCall, type ReadSpan } from './read-span.ts';
import { errorOf, type SpanError } from './span-error.ts';
import { lastAnswer, lastQuestion } from './turn.ts';

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
 * Each span comes once.
 */
export function contentsOf(
  spans: readonly SpanInTrace[],
  place: ContentsPlace,
): Contents | undefined {
  const pairs = readPairs(spans);
  if (place === 'trace') return contentsOfTrace(pairs);
  const found = place.startsWith('span:')
    ? namedIn(pairs, place.slice('span:'.length))
    : pairs.findLast(({ read }) => isModelCall(read));
  return found && together(found.read, found.read, errorOf(found.received));
}

/** The first span that is shown under a name, else the first that was sent with it. */
const namedIn = (pairs: ReadPair[], name: string): ReadPair | undefined =>
  pairs.find(({ received }) => nameOf(received.span) === name) ??
  pairs.find(({ received }) => received.span.name === name);

/**
 * The contents of a whole trace, whose spans are in their order: those of its top, and where that says nothing, the
 * input of its first call of a model and the output of its last. Of a top that ended with an error, the words of a call
 * said on the way is no answer.
 */
export function contentsOfTrace(
  pairs: readonly ReadPair[],
  top: ReadPair | undefined = topPairOf(pairs),
): Contents {
  const calls = pairs.map(({ read }) => read).filter(isModelCall);
  const failure = top ? errorOf(top.received) : null;
  const lastAnswered = failure ? undefined : calls.findLast(hasOutput);
  return together(
    top && hasContent(top.read.input) ? top.read : (calls.find(hasInput) ?? top?.read),
    top && hasContent(top.read.output) ? top.read : (lastAnswered ?? top?.read),
    failure,
  );
}

function together(
  first: ReadSpan | undefined,
  last: ReadSpan | undefined,
  failure: SpanError | null,
): Contents {
  const inputMessages = first?.inputMessages ?? [];
  const outputMessages = last?.outputMessages ?? [];
  const output = lastAnswer(outputMessages) ?? last?.output ?? null;
  return {
    input: lastQuestion(inputMessages) ?? first?.input ?? null,
    output,
    inputMessages,
    outputMessages,
    error: output === null && outputMessages.length === 0 ? failure : null,
  };
}

const hasInput = ({ input }: ReadSpan): boolean => hasContent(input);

const hasOutput = ({ output }: ReadSpan): boolean => hasContent(output);
