/**
 * A value of an attribute, as `AnyValue` of OpenTelemetry has it: an integer is a bigint and a
 * floating-point number a number, so that nothing is lost or changes its type when it is written
 * again. A value without any content is undefined.
 */
export type Value =
  | undefined
  | string
  | boolean
  | bigint
  | number
  | Uint8Array
  | Value[]
  | Attributes;

/** By their keys; where a key comes twice, the last one counts. */
export type Attributes = Map<string, Value>;

/** The emitter of spans: a service, a process, a host. */
export interface Resource {
  attributes: Attributes;
}

/** The library that made the spans. */
export interface Scope {
  name: string;
  version: string;
  attributes: Attributes;
}

export interface SpanEvent {
  /** Nanoseconds since 1970. */
  time: bigint;
  name: string;
  attributes: Attributes;
}

export interface SpanLink {
  traceId: Uint8Array;
  spanId: Uint8Array;
  attributes: Attributes;
}

/** 0 is unset, 1 ok, 2 an error. */
export interface SpanStatus {
  code: number;
  message: string;
}

/** A span, as a client sent it: nothing of it is checked but its form. */
export interface Span {
  /** 16 bytes, where it is valid. */
  traceId: Uint8Array;
  /** 8 bytes, where it is valid. */
  spanId: Uint8Array;
  /** Empty for the root of a trace. */
  parentSpanId: Uint8Array;
  name: string;
  /** 0 unspecified, 1 internal, 2 server, 3 client, 4 producer, 5 consumer. */
  kind: number;
  /** Nanoseconds since 1970. */
  start: bigint;
  end: bigint;
  attributes: Attributes;
  events: SpanEvent[];
  links: SpanLink[];
  status: SpanStatus;
}

/** A span with its message as it came, which also has fields that `Span` does not name. */
export interface ReceivedSpan {
  span: Span;
  bytes: Uint8Array;
  /** A value of it, of its scope or of its resource is too deep to be read. */
  isTooDeep?: boolean;
}

/** The spans of one library. */
export interface ScopeSpans {
  scope: Scope;
  /** The message of the scope; undefined where there was none. */
  scopeBytes: Uint8Array | undefined;
  schemaUrl: string;
  spans: ReceivedSpan[];
}

/** The spans of one resource. */
export interface ResourceSpans {
  resource: Resource;
  /** The message of the resource; undefined where there was none. */
  resourceBytes: Uint8Array | undefined;
  schemaUrl: string;
  scopes: ScopeSpans[];
}
