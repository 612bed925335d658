import type { Attributes, SpanEvent } from '@assay/otlp/span';
import type { Finding } from './attributes.ts';
import type { Message } from './messages.ts';

/** The kinds of work that a span stands for. */
export type SpanOperation =
  | 'chat'
  | 'tool'
  | 'agent'
  | 'retrieval'
  | 'embedding'
  | 'evaluation'
  | 'workflow';

/** The parts of a span that a family reads: its attributes, and its events in their order. */
export interface SpanSource {
  attributes: Attributes;
  events: readonly SpanEvent[];
}

export type Reader<Value> = (source: SpanSource) => Finding<Value> | undefined;

/** Reads an input or an output; `messages` returns those of the same family. */
type ContentReader = (
  source: SpanSource,
  messages: () => Finding<unknown> | undefined,
) => Finding<unknown> | undefined;

/** Names of attributes, the first of which counts, or a reader. */
export type TextField = readonly string[] | Reader<string>;
export type NumberField = readonly string[] | Reader<number>;

/**
 * The names that one family of instrumentations uses. A field that it lacks, it never sends. An input or
 * output that it leaves out is its messages.
 */
export interface Family {
  /** Values that stand for an operation, by the attribute in which they are, in lower case. */
  operation?: { attribute: string; names: Readonly<Record<string, SpanOperation>> };
  model?: TextField;
  provider?: TextField;
  input?: ContentReader;
  output?: ContentReader;
  inputMessages?: Reader<Message[]>;
  outputMessages?: Reader<Message[]>;
  /** The system's prompt, where it stands beside the messages of whichever family. */
  instructions?: Reader<Message[]>;
  inputTokens?: NumberField;
  outputTokens?: NumberField;
  totalTokens?: NumberField;
  cacheRead?: NumberField;
  cacheCreation?: NumberField;
  reasoning?: NumberField;
  costUsd?: NumberField;
  /** By which two spans of one call are told. */
  responseId?: readonly string[];
  sessionId?: readonly string[];
  userId?: readonly string[];
}
