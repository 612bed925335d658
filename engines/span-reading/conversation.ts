import { hexOf, type SpanInTrace } from '@assay/otlp/cut-by-trace';
import { hasContent } from './content.ts';
import { contentsOfTrace } from './contents.ts';
import { cutLongTexts } from './cut-long-texts.ts';
import { durationOf, millisecondsOf, nameOf } from './line-of.ts';
import type { Message } from './messages.ts';
import { type ReadPair, readPairs, topPairOf } from './read-pairs.ts';
import { errorOf } from './span-error.ts';

/** Operations that are steps of their own: calls of a model are told by the messages. */
const stepKinds = ['tool', 'retrieval', 'agent', 'evaluation'] as const;
type StepKind = (typeof stepKinds)[number];

/** A step that a system took between a question and its answer. */
export interface Step {
  spanId: string;
  name: string;
  kind: StepKind;
  /** Undefined where nothing says. */
  arguments: unknown;
  result: unknown;
  /** Why it failed; null where it did not. */
  error: string | null;
  /** Milliseconds since 1970, to a microsecond. */
  startedAt: number;
  durationMs: number;
}

/** A trace as a person reads it. Data that JSON can have. */
export interface Conversation {
  messages: Message[];
  /** In the order in which they began. */
  steps: Step[];
  /** Something was left out, or a text was cut. */
  isCut: boolean;
}

/** Bytes of JSON that a conversation takes, nearly. */
const bytesMax = 1024 * 1024;
/** Characters of one text, and of the data of one picture. */
const textMax = 64 * 1024;
const pictureMax = 512 * 1024;

/**
 * Reads the conversation of a trace, and the steps that the system took in it. The newest messages, and the
 * first steps, are those that a conversation which is too large keeps.
 */
export function conversationOf(spans: readonly SpanInTrace[]): Conversation {
  const pairs = readPairs(spans);
  const top = topPairOf(pairs);
  const cut = { isCut: false };
  const messages = messagesOf(pairs, top).map((message) =>
    cutLongTexts(message, { textMax, pictureMax, cut }),
  );
  const steps = pairs
    .flatMap((pair) => (pair === top ? [] : (stepOf(pair) ?? [])))
    .map((step) => cutLongTexts(step, { textMax, pictureMax, cut }));
  let bytesLeft = bytesMax;
  const fits = (item: unknown): boolean => {
    bytesLeft -= Buffer.byteLength(JSON.stringify(item) ?? '');
    return bytesLeft >= 0;
  };
  const newest = messages.toReversed();
  const shown = newest.slice(0, countOf(newest, fits)).reverse();
  const taken = steps.slice(0, countOf(steps, fits));
  const isWhole = shown.length === messages.length && taken.length === steps.length;
  return { messages: shown, steps: taken, isCut: cut.isCut || !isWhole };
}

function countOf<Item>(items: Item[], fits: (item: Item) => boolean): number {
  const end = items.findIndex((item) => !fits(item));
  return end < 0 ? items.length : end;
}

/**
 * The messages of the whole trace; of a trace whose top has none, those of its last call that has some, which repeats
 * those before; else its input and output as if they had been said.
 */
function messagesOf(pairs: ReadPair[], top: ReadPair | undefined): Message[] {
  const contents = contentsOfTrace(pairs, top);
  const own = [...contents.inputMessages, ...contents.outputMessages];
  const isOfTop =
    top !== undefined && top.read.inputMessages.length + top.read.outputMessages.length > 0;
  if (isOfTop) return own;
  const last = pairs.findLast(
    ({ read }) => read.operation === 'chat' && read.inputMessages.length > 0,
  )?.read;
  if (last) return [...last.inputMessages, ...last.outputMessages];
  if (own.length > 0) return own;
  return [
    ...(hasContent(contents.input) ? [{ role: 'user', content: contents.input }] : []),
    ...(hasContent(contents.output) ? [{ role: 'assistant', content: contents.output }] : []),
  ];
}

function stepOf({ received, read }: ReadPair): Step | undefined {
  const { span } = received;
  const kind = stepKinds.find((each) => each === read.operation);
  return (
    kind && {
      spanId: hexOf(span.spanId),
      name: nameOf(span),
      kind,
      arguments: read.input,
      result: read.output,
      error: errorOf(received)?.message ?? null,
      startedAt: millisecondsOf(span.start),
      durationMs: durationOf(span),
    }
  );
}
