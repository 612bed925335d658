import { hexOf, type SpanInTrace } from '@assay/otlp/cut-by-trace';
import { isRoot } from '@assay/otlp/log-record';
import { uniqueSpans } from '@assay/otlp/unique-spans';
import { contentsOfTrace } from './contents.ts';
import type { Evaluation } from './evaluations.ts';
import { millisecondsOf, nameOf } from './line-of.ts';
import { previewOfContent } from './preview.ts';
import { type ReadPair, readPairs, topPairOf } from './read-pairs.ts';
import { isModelCall, type ReadSpan } from './read-span.ts';
import { endedWithError } from './span-error.ts';

/** The tokens that one model took in those calls of a trace whose clients do not tell their cost. */
export interface TokensOfModel {
  /** Empty where no span says it. */
  model: string;
  provider: string | null;
  /** But for those of a cache. */
  input: number;
  cacheRead: number;
  cacheCreation: number;
  output: number;
  /** Their client says that they cost nothing, as some do where they do not know a price. */
  isFree: boolean;
}

/** The spans of a trace together. */
export interface TraceSummary {
  /** That of the root, else of the first span. */
  name: string;
  hasRoot: boolean;
  serviceName: string | null;
  /** Milliseconds since 1970. */
  startedAt: number;
  durationMs: number;
  spans: number;
  /** Spans that ended with an error. */
  errors: number;
  /** Those that answered, in the order of their names: a model that an agent was given is none of them. */
  models: string[];
  provider: string | null;
  /** No token counts twice: not those of a span that has the calls which it sums up below it. */
  inputTokens: number | null;
  outputTokens: number | null;
  totalTokens: number | null;
  /** The cost of calls as their clients say it, by the same rule; null where none does. */
  toldCostUsd: number | null;
  tokensByModel: TokensOfModel[];
  sessionId: string | null;
  userId: string | null;
  tags: string[];
  metadata: Record<string, string>;
  linkIds: string[];
  groupId: string | null;
  projectId: string | null;
  /** Scores that came with its spans. */
  evaluations: Evaluation[];
  inputPreview: string | null;
  outputPreview: string | null;
}

const tagsMax = 50;
const modelsMax = 50;
const linkIdsMax = 50;
const evaluationsMax = 50;
const metadataMax = 20;

/**
 * Sums up a trace, which has a span at least. The order of the spans does not matter, nor does
 * whether some come several times.
 */
export function summarizeTrace(given: readonly SpanInTrace[]): TraceSummary {
  const pairs = readPairs(uniqueSpans(given));
  const top = topPairOf(pairs);
  const first = top ?? pairs[0]!;
  // The word of the top on the whole counts before that of others.
  const inOrder = top ? [top, ...pairs.filter((pair) => pair !== top)] : pairs;
  const firstSaid = <Value>(find: (read: ReadSpan) => Value | null): Value | null => {
    for (const { read } of inOrder) {
      const found = find(read);
      if (found !== null) return found;
    }
    return null;
  };
  const allSaid = (find: (read: ReadSpan) => string[], max: number): string[] =>
    [...new Set(inOrder.flatMap(({ read }) => find(read)))].slice(0, max);

  const startedAt = millisecondsOf(pairs[0]!.received.span.start);
  const end = pairs.map(({ received }) => received.span.end).reduce(later);
  const sums = sumsIn(pairs);
  const counted = onceEach(pairs.filter((pair) => hasTokens(pair) && !sums.has(pair)));
  const contents = contentsOfTrace(pairs, top);
  return {
    name: nameOf(first.received.span),
    hasRoot: pairs.some(({ received }) => isRoot(received.span)),
    serviceName: firstSaid(({ serviceName }) => serviceName),
    startedAt,
    durationMs: Math.max(0, millisecondsOf(end) - startedAt),
    spans: pairs.length,
    errors: pairs.filter(({ received }) => endedWithError(received)).length,
    models: modelsOf(pairs.filter((pair) => !sums.has(pair))),
    provider: firstSaid(({ provider }) => provider),
    inputTokens: sumOf(counted, ({ tokens }) => tokens.input),
    outputTokens: sumOf(counted, ({ tokens }) => tokens.output),
    totalTokens: sumOf(counted, ({ tokens }) => tokens.total),
    toldCostUsd: sumOf(counted.filter(tellsCost), ({ costUsd }) => costUsd),
    tokensByModel: byModel(counted.filter((pair) => !tellsCost(pair))),
    sessionId: firstSaid(({ sessionId }) => sessionId),
    userId: firstSaid(({ userId }) => userId),
    tags: allSaid(({ tags }) => tags, tagsMax),
    metadata: Object.fromEntries(
      inOrder
        .toReversed()
        .flatMap(({ read }) => Object.entries(read.metadata))
        .slice(-metadataMax),
    ),
    linkIds: allSaid(({ linkIds }) => linkIds, linkIdsMax),
    groupId: firstSaid(({ groupId }) => groupId),
    projectId: firstSaid(({ projectId }) => projectId),
    evaluations: inOrder.flatMap(({ read }) => read.evaluations).slice(0, evaluationsMax),
    inputPreview: previewOfContent(contents.input, contents.inputMessages),
    outputPreview: previewOfContent(contents.output, contents.outputMessages),
  };
}

function later(one: bigint, other: bigint): bigint {
  if (one > other) return one;
  return other;
}

/** The spans below which a call of a model has its own tokens and its own model. */
function sumsIn(pairs: ReadPair[]): Set<ReadPair> {
  const byId = new Map(pairs.map((pair) => [hexOf(pair.received.span.spanId), pair]));
  const sums = new Set<ReadPair>();
  for (const pair of pairs) {
    if (!hasTokens(pair) || !isModelCall(pair.read)) continue;
    let above = parentOf(pair);
    // A parent that was seen has those above it noted: so a ring of parents ends, too.
    while (above && !sums.has(above)) {
      if (above === pair) break;
      sums.add(above);
      above = parentOf(above);
    }
  }
  return sums;

  function parentOf({ received }: ReadPair): ReadPair | undefined {
    return byId.get(hexOf(received.span.parentSpanId));
  }
}

/** Of spans of one answer of a provider, which two instrumentations saw at one time, the first counts. */
function onceEach(pairs: ReadPair[]): ReadPair[] {
  const seen = new Map<string, ReadPair[]>();
  return pairs.filter((pair) => {
    const { responseId } = pair.read;
    if (responseId === null) return true;
    const others = seen.get(responseId) ?? [];
    if (others.some((other) => isAtOnce(pair, other))) return false;
    seen.set(responseId, [...others, pair]);
    return true;
  });
}

/** An answer that was kept has the id of an earlier one. */
const isAtOnce = ({ received: one }: ReadPair, { received: other }: ReadPair): boolean =>
  one.span.start < other.span.end && other.span.start < one.span.end;

const hasTokens = ({ read: { tokens } }: ReadPair): boolean =>
  tokens.input !== null || tokens.output !== null || tokens.total !== null;

const modelsOf = (pairs: ReadPair[]): string[] =>
  [...new Set(pairs.flatMap(({ read: { model } }) => model ?? []))].slice(0, modelsMax).toSorted();

function sumOf(pairs: ReadPair[], find: (read: ReadSpan) => number | null): number | null {
  let sum: number | null = null;
  for (const { read } of pairs) {
    const value = find(read);
    if (value !== null) sum = (sum ?? 0) + value;
  }
  return sum;
}

function byModel(pairs: ReadPair[]): TokensOfModel[] {
  const sums = new Map<string, TokensOfModel>();
  for (const { read } of pairs) {
    const { model, provider, tokens } = read;
    const key = `${provider}/${model}`;
    const sum = sums.get(key) ?? {
      model: model ?? '',
      provider,
      input: 0,
      cacheRead: 0,
      cacheCreation: 0,
      output: 0,
      isFree: true,
    };
    const cached = (tokens.cacheRead ?? 0) + (tokens.cacheCreation ?? 0);
    const input = tokens.input ?? 0;
    // Anthropic's own counts have the tokens of the cache beside those of the prompt.
    sum.input += cached > input ? input : input - cached;
    sum.cacheRead += tokens.cacheRead ?? 0;
    sum.cacheCreation += tokens.cacheCreation ?? 0;
    sum.output += tokens.output ?? 0;
    sum.isFree &&= read.costUsd === 0;
    sums.set(key, sum);
  }
  return [...sums.values()];
}

const tellsCost = ({ read: { costUsd } }: ReadPair): boolean => costUsd !== null && costUsd > 0;
