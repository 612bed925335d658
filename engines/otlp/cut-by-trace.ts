import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ReceivedSpan, Resource, ResourceSpans, Scope, ScopeSpans } from './span.ts';

const { LengthDelimited } = WireType;

/** A span with its resource and its scope. */
export interface SpanInTrace extends ReceivedSpan {
  resource: Resource;
  scope: Scope;
}

/** Spans that one request has of one trace. */
export interface TracePart {
  /** 32 hexadecimal digits. */
  traceId: string;
  spans: SpanInTrace[];
  /** The same request without the spans of other traces. */
  bytes: Uint8Array;
}

interface OpenPart {
  traceId: string;
  spans: SpanInTrace[];
  batches: ResourceSpans[];
  bytes: number;
}

interface CutOptions {
  /** What becomes of a span: undefined leaves it out. */
  take?: (span: ReceivedSpan) => ReceivedSpan | undefined;
  /** Bytes of the spans in one part; a single span may have more. */
  partBytesMax?: number;
}

/**
 * Cuts a request into one of each trace, with the resources and scopes of its spans; a trace with
 * more bytes than a part may have gets several. Messages are copied as they came, so that nothing is
 * lost which is not read here.
 */
export function cutByTrace(
  batches: readonly ResourceSpans[],
  { take = (span) => span, partBytesMax = Number.POSITIVE_INFINITY }: CutOptions = {},
): TracePart[] {
  const parts: OpenPart[] = [];
  const newest = new Map<string, OpenPart>();

  function partOf(traceId: string, bytes: number): OpenPart {
    const known = newest.get(traceId);
    if (known && known.bytes + bytes <= partBytesMax) return known;
    const made = { traceId, spans: [], batches: [], bytes: 0 };
    newest.set(traceId, made);
    parts.push(made);
    return made;
  }

  for (const batch of batches) {
    const { resource } = batch;
    const ofBatch = new Map<OpenPart, ResourceSpans>();
    for (const own of batch.scopes) {
      const { scope } = own;
      const ofScope = new Map<OpenPart, ScopeSpans>();
      for (const given of own.spans) {
        const received = take(given);
        if (!received) continue;
        const part = partOf(hexOf(received.span.traceId), received.bytes.length);
        const batchOfPart = kept(ofBatch, part, () => {
          const made = { ...batch, scopes: [] };
          part.batches.push(made);
          return made;
        });
        const scopeOfPart = kept(ofScope, part, () => {
          const made = { ...own, spans: [] };
          batchOfPart.scopes.push(made);
          return made;
        });
        scopeOfPart.spans.push(received);
        part.spans.push({ ...received, resource, scope });
        part.bytes += received.bytes.length;
      }
    }
  }
  return parts.map(({ traceId, spans, batches }) => ({
    traceId,
    spans,
    bytes: writeRequest(batches),
  }));
}

/** Writes an ExportTraceServiceRequest of messages as they came. */
export function writeRequest(batches: readonly ResourceSpans[]): Uint8Array {
  const writer = new BinaryWriter();
  for (const { resourceBytes, schemaUrl, scopes } of batches) {
    writer.tag(1, LengthDelimited).fork();
    if (resourceBytes) writer.tag(1, LengthDelimited).bytes(resourceBytes);
    for (const own of scopes) {
      writer.tag(2, LengthDelimited).fork();
      if (own.scopeBytes) writer.tag(1, LengthDelimited).bytes(own.scopeBytes);
      for (const { bytes } of own.spans) writer.tag(2, LengthDelimited).bytes(bytes);
      if (own.schemaUrl !== '') writer.tag(3, LengthDelimited).string(own.schemaUrl);
      writer.join();
    }
    if (schemaUrl !== '') writer.tag(3, LengthDelimited).string(schemaUrl);
    writer.join();
  }
  return writer.finish();
}

/** The hexadecimal digits of an id. */
export const hexOf = (id: Uint8Array): string => Buffer.from(id).toString('hex');

function kept<Key, Thing>(things: Map<Key, Thing>, key: Key, make: () => Thing): Thing {
  const known = things.get(key);
  if (known !== undefined) return known;
  const made = make();
  things.set(key, made);
  return made;
}
