import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { ReceivedSpan, Resource, ResourceSpans, Scope, ScopeSpans } from './span.ts';

const { LengthDelimited } = WireType;

/** A span with its resource and its scope. */
export interface SpanInTrace extends ReceivedSpan {
  resource: Resource;
  scope: Scope;
}

/** The spans that one request has of one trace. */
export interface TracePart {
  /** 32 hexadecimal digits. */
  traceId: string;
  spans: SpanInTrace[];
  /** The same request without the spans of other traces. */
  bytes: Uint8Array;
}

/**
 * Cuts a request into one of each trace, with the resources and scopes of its spans. Messages are
 * copied as they came, so that nothing is lost which is not read here.
 */
export function cutByTrace(
  batches: readonly ResourceSpans[],
  isTaken: (span: ReceivedSpan) => boolean = () => true,
): TracePart[] {
  const parts = new Map<string, { spans: SpanInTrace[]; batches: ResourceSpans[] }>();
  for (const batch of batches) {
    const { resource } = batch;
    const ofBatch = new Map<string, ResourceSpans>();
    for (const own of batch.scopes) {
      const { scope } = own;
      const ofScope = new Map<string, ScopeSpans>();
      for (const received of own.spans) {
        if (!isTaken(received)) continue;
        const traceId = hexOf(received.span.traceId);
        const part = kept(parts, traceId, () => ({ spans: [], batches: [] }));
        const batchOfTrace = kept(ofBatch, traceId, () => {
          const made = { ...batch, scopes: [] };
          part.batches.push(made);
          return made;
        });
        const scopeOfTrace = kept(ofScope, traceId, () => {
          const made = { ...own, spans: [] };
          batchOfTrace.scopes.push(made);
          return made;
        });
        scopeOfTrace.spans.push(received);
        part.spans.push({ ...received, resource, scope });
      }
    }
  }
  return Array.from(parts, ([traceId, { spans, batches }]) => ({
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
