import type { SpanInTrace } from '@assay/otlp/cut-by-trace';
import { type Finding, numberAt, textAt } from './attributes.ts';
import { type Evaluation, evaluationsOf } from './evaluations.ts';
import { families } from './families.ts';
import type { Family, SpanOperation, SpanSource, TextField } from './family.ts';
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

/** The content of a span in one form for all instrumentations. Data that JSON can have. */
export interface ReadSpan extends Labels {
  operation: SpanOperation | null;
  /** The one that answered, else the one that was asked. */
  model: string | null;
  provider: string | null;
  tokens: SpanTokens;
  /** As its client gives it. */
  costUsd: number | null;
  /** Undefined where nothing says. */
  input: unknown;
  output: unknown;
  inputMessages: Message[];
  outputMessages: Message[];
  sessionId: string | null;
  userId: string | null;
  evaluations: Evaluation[];
  /** The attribute or event of which each of these was read. */
  from: Record<string, string>;
}

const tokenFields = [
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'cacheRead',
  'cacheCreation',
  'reasoning',
] as const;

/** Reads a span. A part that cannot be read is as if it were not there. */
export function readSpan(received: SpanInTrace): ReadSpan {
  const { span, resource } = received;
  const from: Record<string, string> = {};

  /** Asks the families in their order; the first that says something counts. */
  function first<Value>(
    name: string,
    ask: (family: Family) => Finding<Value> | undefined,
  ): Value | undefined {
    for (const family of families) {
      const found = ask(family);
      if (found === undefined) continue;
      from[name] = found.from;
      return found.value;
    }
    return undefined;
  }

  const text = (name: 'model' | 'provider') =>
    first(name, (family) => textOf(span, family[name])) ?? null;
  const number = (name: (typeof tokenFields)[number] | 'costUsd') =>
    first(name, (family) => family[name] && numberAt(span.attributes, family[name])) ?? null;
  const label = (name: 'sessionId' | 'userId', usual: string[], ofResource: string[]) => {
    const own =
      textAt(span.attributes, usual) ??
      textAt(resource.attributes, ofResource) ??
      textAt(span.attributes, ofResource);
    if (own) from[name] = own.from;
    return (
      own?.value ??
      first(name, (family) => family[name] && textAt(span.attributes, family[name])) ??
      null
    );
  };

  const input = number('inputTokens');
  const output = number('outputTokens');
  const total = number('totalTokens');
  const model = text('model');
  const isCounted = input !== null || output !== null || total !== null;
  return {
    ...labelsOf(received),
    operation:
      first('operation', (family) => operationOf(span, family)) ??
      (model !== null && isCounted ? 'chat' : null),
    model,
    provider: text('provider'),
    tokens: {
      input,
      output,
      total: total ?? (input !== null && output !== null ? input + output : null),
      cacheRead: number('cacheRead'),
      cacheCreation: number('cacheCreation'),
      reasoning: number('reasoning'),
    },
    costUsd: number('costUsd'),
    input: first('input', (family) => (family.input ?? family.inputMessages)?.(span)),
    output: first('output', (family) => (family.output ?? family.outputMessages)?.(span)),
    inputMessages: first('inputMessages', ({ inputMessages }) => inputMessages?.(span)) ?? [],
    outputMessages: first('outputMessages', ({ outputMessages }) => outputMessages?.(span)) ?? [],
    sessionId: label('sessionId', ['session.id'], ['scorecard.session_id', 'assay.session_id']),
    userId: label('userId', ['user.id', 'enduser.id'], ['assay.user_id']),
    evaluations: evaluationsOf(span),
    from,
  };
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
export const isModelCall = ({ operation, tokens }: ReadSpan): boolean =>
  operation === 'chat' || (operation === 'embedding' && tokens.input !== null);
