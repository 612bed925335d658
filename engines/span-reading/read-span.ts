import type { SpanInTrace } from '@assay/otlp/cut-by-trace';
import { type Finding, numberAt, textAt } from './attributes.ts';
import { type Evaluation, evaluationsOf } from './evaluations.ts';
import { families } from './families.ts';
import type { Family, Reader, SpanOperation, SpanSource, TextField } from './family.ts';
import { type Labels, labelsOf } from './labels.ts';
import type { Message } from './messages.ts';

/** The tokens of a call of a model; null where the span does not say. */
export interface SpanTokens {
  input: number | null;
  output: number | null;
  /** The sum of the two where the span has no sum of its own. */
  total: number | null;
  cacheRead: number | null;
  cacheCreation: number | null;
  reasoning: number | null;
}

/** What a span did, in one form for all instrumentations. Data that JSON can have. */
export interface SpanContents {
  operation: SpanOperation | null;
  /** The one that answered, else the one that was asked. */
  model: string | null;
  tokens: SpanTokens;
  /** As its client gives it. */
  costUsd: number | null;
  /** Undefined where nothing says. */
  input: unknown;
  output: unknown;
  inputMessages: Message[];
  outputMessages: Message[];
  /** The attribute or event of which each of these was read. */
  from: Record<string, string>;
}

/** A span with its facts about the whole that it is part of. */
export interface ReadSpan extends SpanContents, Labels {
  provider: string | null;
  sessionId: string | null;
  userId: string | null;
  evaluations: Evaluation[];
}

/** The attributes of all families in their order, for the fields that are one attribute each. */
const keysOf = {
  inputTokens: allKeys('inputTokens'),
  outputTokens: allKeys('outputTokens'),
  totalTokens: allKeys('totalTokens'),
  cacheRead: allKeys('cacheRead'),
  cacheCreation: allKeys('cacheCreation'),
  reasoning: allKeys('reasoning'),
  costUsd: allKeys('costUsd'),
  sessionId: allKeys('sessionId'),
  userId: allKeys('userId'),
};

function allKeys(
  name: Exclude<keyof Family, 'operation' | 'model' | 'provider' | ContentName>,
): string[] {
  return families.flatMap((family) => family[name] ?? []);
}

type ContentName = 'input' | 'output' | 'inputMessages' | 'outputMessages';

/** Reads a span with its labels. A part that cannot be read is as if it were not there. */
export function readSpan(received: SpanInTrace): ReadSpan {
  const { span, resource } = received;
  const contents = readContents(received);
  const { operation, model, tokens, costUsd, from } = contents;
  const { input, output, inputMessages, outputMessages } = contents;
  const { projectId, serviceName, groupId, linkIds, tags, metadata } = labelsOf(received);
  const label = (name: 'sessionId' | 'userId', usual: string[], ofResource: string[]) =>
    noted(
      from,
      name,
      textAt(span.attributes, usual) ??
        textAt(resource.attributes, ofResource) ??
        textAt(span.attributes, ofResource) ??
        textAt(span.attributes, keysOf[name]),
    ) ?? null;
  // Field by field: to spread two objects into one took a fifth of the settling of a trace.
  return {
    operation,
    model,
    tokens,
    costUsd,
    input,
    output,
    inputMessages,
    outputMessages,
    from,
    projectId,
    serviceName,
    groupId,
    linkIds,
    tags,
    metadata,
    provider:
      noted(
        from,
        'provider',
        first((family) => textOf(span, family.provider)),
      ) ?? null,
    sessionId: label('sessionId', ['session.id'], ['scorecard.session_id', 'assay.session_id']),
    userId: label('userId', ['user.id', 'enduser.id'], ['assay.user_id']),
    evaluations: evaluationsOf(span),
  };
}

/** Reads the work of a span, and its input and output. */
export function readContents({ span }: SpanInTrace): SpanContents {
  const from: Record<string, string> = {};
  const number = (name: 'costUsd' | 'inputTokens' | 'outputTokens' | 'totalTokens' | TokenKind) =>
    noted(from, name, numberAt(span.attributes, keysOf[name])) ?? null;
  // An input or an output is often its messages, which are read once.
  const known = new Map<Reader<Message[]>, Finding<Message[]> | undefined>();
  const messages = (reader: Reader<Message[]> | undefined) => {
    if (reader && !known.has(reader)) known.set(reader, reader(span));
    return reader && known.get(reader);
  };
  const content = (name: 'input' | 'output') =>
    noted(
      from,
      name,
      first((family) => {
        const ofFamily = () => messages(family[`${name}Messages`]);
        const read = family[name];
        return read ? read(span, ofFamily) : ofFamily();
      }),
    );
  const allMessages = (name: 'inputMessages' | 'outputMessages') =>
    noted(
      from,
      name,
      first((family) => messages(family[name])),
    ) ?? [];

  const input = number('inputTokens');
  const output = number('outputTokens');
  const total = number('totalTokens');
  const model =
    noted(
      from,
      'model',
      first((family) => textOf(span, family.model)),
    ) ?? null;
  const isCounted = input !== null || output !== null || total !== null;
  return {
    operation:
      noted(
        from,
        'operation',
        first((family) => operationOf(span, family)),
      ) ?? (model !== null && isCounted ? 'chat' : null),
    model,
    tokens: {
      input,
      output,
      total: total ?? (input !== null && output !== null ? input + output : null),
      cacheRead: number('cacheRead'),
      cacheCreation: number('cacheCreation'),
      reasoning: number('reasoning'),
    },
    costUsd: number('costUsd'),
    input: content('input'),
    output: content('output'),
    inputMessages: allMessages('inputMessages'),
    outputMessages: allMessages('outputMessages'),
    from,
  };
}

type TokenKind = 'cacheRead' | 'cacheCreation' | 'reasoning';

/** Asks the families in their order; the first that says something counts. */
function first<Value>(
  ask: (family: Family) => Finding<Value> | undefined,
): Finding<Value> | undefined {
  for (const family of families) {
    const found = ask(family);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** Notes of which attribute a field was read. */
function noted<Value>(
  from: Record<string, string>,
  name: string,
  found: Finding<Value> | undefined,
): Value | undefined {
  if (found) from[name] = found.from;
  return found?.value;
}

function textOf(source: SpanSource, field: TextField | undefined): Finding<string> | undefined {
  if (field === undefined) return undefined;
  return typeof field === 'function' ? field(source) : textAt(source.attributes, field);
}

function operationOf(
  { attributes }: SpanSource,
  { operation }: Family,
): Finding<SpanOperation> | undefined {
  if (!operation) return undefined;
  const given = attributes.get(operation.attribute);
  const name = typeof given === 'string' ? given.toLowerCase() : '';
  return Object.hasOwn(operation.names, name)
    ? { value: operation.names[name]!, from: operation.attribute }
    : undefined;
}

/** Does the span stand for a call of a model, whose tokens count? */
export const isModelCall = ({ operation, tokens }: SpanContents): boolean =>
  operation === 'chat' || (operation === 'embedding' && tokens.input !== null);
