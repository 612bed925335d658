import {
  type ListedSpan,
  listedSpansMax,
  type TraceConversation,
  type TraceSpan,
} from '@assay/contracts/traces';
import { hexOf, type SpanInTrace, type TracePart } from '@assay/otlp/cut-by-trace';
import { inOrder } from '@assay/otlp/in-order';
import { mergeParts } from '@assay/otlp/merge-parts';
import { readSpans } from '@assay/otlp/protobuf/read-spans';
import type { Attributes, ResourceSpans, Value } from '@assay/otlp/span';
import { uniqueSpans } from '@assay/otlp/unique-spans';
import { textOf } from '@assay/span-reading/attributes';
import { type Contents, type ContentsPlace, contentsOf } from '@assay/span-reading/contents';
import { conversationOf } from '@assay/span-reading/conversation';
import { lineOf } from '@assay/span-reading/line-of';
import { summarizeTrace, type TraceSummary } from '@assay/span-reading/summarize-trace';
import { createStringMatch } from '@assay/text-search/text-match';
import { showSpan } from './shown-span.ts';
import { spanIdsOf } from './span-ids.ts';

/**
 * Parts of a trace that stay as they came, where no span comes twice in them: to write them anew as
 * one would cost more than all of their reading.
 */
const partsMax = 32;
/** One span of a large trace is found by reading one part. */
const rewrittenBytesMax = 1024 * 1024;
/** Traces of so many spans have their list written when they settle: to read them takes long. */
export const listedBeforeMin = 500;
/** A document of MongoDB holds 16 MiB. */
const listBytesMax = 12 * 1024 * 1024;

/** A trace when nothing comes for it any more. */
export interface SettledTrace {
  summary: TraceSummary;
  /** Its parts written anew, each span once; undefined where they are good as they are. */
  rewritten: RewrittenPart[] | undefined;
  /** The list of its spans, where it is to be kept. */
  list: SpanList | undefined;
}

export interface RewrittenPart {
  bytes: Uint8Array;
  numSpans: number;
  spanIds: Uint8Array;
}

/** The list of a trace's spans in the order of their start, as clients get it. */
export interface SpanList {
  /** A list in JSON. */
  data: Uint8Array;
  /** All that there are: the list has `listedSpansMax` at most. */
  numSpans: number;
}

/** Reads the parts of a trace as they are stored, and says how its head and its parts should be. */
export function settle(parts: readonly Uint8Array[]): SettledTrace {
  const batches = parts.map(readSpans);
  const stored = batches.flat().flatMap(spansIn);
  const summary = summarizeTrace(stored);
  const list = summary.spans < listedBeforeMin ? undefined : listOf(uniqueSpans(stored));
  return {
    summary,
    // A span that comes again, or a log record about one, makes them fewer.
    rewritten:
      summary.spans === stored.length && parts.length <= partsMax
        ? undefined
        : changedOf(parts, mergeParts(batches, rewrittenBytesMax)),
    list: list && list.data.length <= listBytesMax ? list : undefined,
  };
}

/** Sums up a trace for which more may come. */
export const summarize = (parts: readonly Uint8Array[]): TraceSummary =>
  summarizeTrace(spansOf(parts));

/** Parts of many bytes may stay as they are. */
function changedOf(parts: readonly Uint8Array[], merged: TracePart[]): SettledTrace['rewritten'] {
  const isAsStored =
    merged.length === parts.length &&
    parts.every((bytes, index) => isSame(bytes, merged[index]!.bytes));
  return isAsStored
    ? undefined
    : merged.map(({ bytes, spans }) => ({
        bytes,
        numSpans: spans.length,
        spanIds: spanIdsOf(spans),
      }));
}

/** Lists the spans of a trace. */
export const listSpans = (parts: readonly Uint8Array[]): SpanList => listOf(spansOf(parts));

/** The list of spans of which each comes once. */
function listOf(spans: SpanInTrace[]): SpanList {
  const listed = inOrder(spans).slice(0, listedSpansMax).map(toListedSpan);
  return { data: Buffer.from(JSON.stringify(listed)), numSpans: spans.length };
}

function toListedSpan(received: SpanInTrace): ListedSpan {
  const { startedAt, ...line } = lineOf(received);
  return { ...line, startedAt: new Date(startedAt).toISOString() };
}

/** Returns a span with all that is known of it; undefined where the trace has none of this id. */
export function findSpan(parts: readonly Uint8Array[], spanId: string): TraceSpan | undefined {
  const found = spansOf(parts).find(({ span }) => hexOf(span.spanId) === spanId);
  return found && showSpan(found);
}

/** Do these spans say a text, in their names or in the values of their attributes and events? */
export function hasText(parts: readonly Uint8Array[], text: string): boolean {
  const isThere = createStringMatch(text);
  const inAttributes = (attributes: Attributes): boolean => [...attributes.values()].some(inValue);
  const inValue = (value: Value): boolean => {
    if (typeof value === 'string') return isThere(value);
    if (Array.isArray(value)) return value.some(inValue);
    return value instanceof Map && inAttributes(value);
  };
  return parts
    .flatMap(readSpans)
    .flatMap(spansIn)
    .some(
      ({ span: { name, status, attributes, events } }) =>
        isThere(name) ||
        isThere(status.message) ||
        inAttributes(attributes) ||
        events.some((event) => isThere(event.name) || inAttributes(event.attributes)),
    );
}

/** Returns what was said in a trace, and the steps that the system took. */
export function readConversation(parts: readonly Uint8Array[]): TraceConversation {
  const { messages, steps, isCut } = conversationOf(spansOf(parts));
  return {
    messages,
    steps: steps.map((step) => ({
      ...step,
      arguments: step.arguments ?? null,
      result: step.result ?? null,
      startedAt: new Date(step.startedAt).toISOString(),
    })),
    isCut,
  };
}

/** Reads the contents of places of a trace; undefined for each that it does not have. */
export function readContents(
  parts: readonly Uint8Array[],
  places: ContentsPlace[],
): (Contents | undefined)[] {
  const spans = spansOf(parts);
  return places.map((place) => contentsOf(spans, place));
}

/** What a span of a trace has to have. */
export interface SpanCondition {
  spanName?: string | undefined;
  attributes: [key: string, text: string][];
}

/** Reads the contents of places as {@link readContents}; undefined where no span is as wanted. */
export function readMatching(
  parts: readonly Uint8Array[],
  { spanName, attributes }: SpanCondition,
  places: ContentsPlace[],
): (Contents | undefined)[] | undefined {
  const spans = spansOf(parts);
  const isThere = spans.some(
    ({ span }) =>
      (spanName === undefined || span.name === spanName) &&
      attributes.every(([key, text]) => textOf(span.attributes.get(key)) === text),
  );
  return isThere ? places.map((place) => contentsOf(spans, place)) : undefined;
}

/** The spans of a trace that is only read: nothing is written of them. */
const spansOf = (parts: readonly Uint8Array[]): SpanInTrace[] =>
  uniqueSpans(parts.flatMap(readSpans).flatMap(spansIn));

const spansIn = ({ resource, scopes }: ResourceSpans): SpanInTrace[] =>
  scopes.flatMap(({ scope, spans }) => spans.map((span) => ({ ...span, resource, scope })));

const isSame = (one: Uint8Array, other: Uint8Array): boolean =>
  one.length === other.length && Buffer.compare(one, other) === 0;
