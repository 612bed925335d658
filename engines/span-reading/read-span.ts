import type { SpanInTrace } from '@assay/otlp/cut-by-trace';
import { type Finding, noted, numberAt, textAt } from './attributes.ts';
import { type Evaluation, evaluationsOf } from './evaluations.ts';
import { readExchange } from './exchange.ts';
import { families, firstSaid } from './families.ts';
import type { Family, NumberField, SpanOperation, SpanSource, TextField } from './family.ts';
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
  /** The one that the provider gave its answer. */
  responseId: string | null;
  evaluations: Evaluation[];
}

/** The fields of numbers, by what each family has for them, in the order of the families. */
const numberFields = {
  inputTokens: allFields('inputTokens'),
  outputTokens: allFields('outputTokens'),
  totalTokens: allFields('totalTokens'),
  cacheRead: allFields('cacheRead'),
  cacheCreation: allFields('cacheCreation'),
  reasoning: allFields('reasoning'),
  costUsd: allFields('costUsd'),
};

function allFields(name: NumberName): NumberField[] {
  return families.flatMap((family) => (family[name] ? [family[name]] : []));
}

/** The attributes of all families in their order, for the fields that are one attribute each. */
const keysOf = {
  sessionId: families.flatMap(({ sessionId }) => sessionId ?? []),
  userId: families.flatMap(({ userId }) => userId ?? []),
  responseId: families.flatMap(({ responseId }) => responseId ?? []),
};

type NumberName =
  | 'inputTokens'
  | 'outputTokens'
  | 'totalTokens'
  | 'cacheRead'
  | 'cacheCreation'
  | 'reasoning'
  | 'costUsd';

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
        firstSaid((family) => textOf(span, family.provider)),
      ) ?? null,
    sessionId: label('sessionId', ['session.id'], ['scorecard.session_id', 'assay.session_id']),
    userId: label('userId', ['user.id', 'enduser.id'], ['assay.user_id']),
    responseId: textAt(span.attributes, keysOf.responseId)?.value ?? null,
    evaluations: evaluationsOf(span),
  };
}

/** Reads the work of a span, and its input and output. */
export function readContents({ span }: SpanInTrace): SpanContents {
  const from: Record<string, string> = {};
  const number = (name: NumberName) => {
    for (const field of numberFields[name]) {
      const found = typeof field === 'function' ? field(span) : numberAt(span.attributes, field);
      if (found) return noted(from, name, found) ?? null;
    }
    return null;
  };
  const input = number('inputTokens');
  const output = number('outputTokens');
  const total = number('totalTokens');
  const model =
    noted(
      from,
      'model',
      firstSaid((family) => textOf(span, family.model)),
    ) ?? null;
  const isCounted = input !== null || output !== null || total !== null;
  const operation =
    noted(
      from,
      'operation',
      firstSaid((family) => operationOf(span, family)),
    ) ?? (model !== null && isCounted ? 'chat' : null);
  const exchange = readExchange(span, operation);
  Object.assign(from, exchange.from);
  return {
    operation,
    model,
    tokens: {
      input,
      output,
      total: total ?? sumOfTokens(input, output, operation),
      cacheRead: number('cacheRead'),
      cacheCreation: number('cacheCreation'),
      reasoning: number('reasoning'),
    },
    costUsd: number('costUsd'),
    input: exchange.input,
    output: exchange.output,
    inputMessages: exchange.inputMessages,
    outputMessages: exchange.outputMessages,
    from,
  };
}

/** Embeddings have no output. */
function sumOfTokens(
  input: number | null,
  output: number | null,
  operation: SpanOperation | null,
): number | null {
  if (input === null) return null;
  if (output === null) return operation === 'embedding' ? input : null;
  return input + output;
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
