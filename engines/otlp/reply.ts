import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

const { Varint, LengthDelimited } = WireType;

/** The two forms of OTLP/HTTP. */
export type Encoding = 'protobuf' | 'json';

const contentTypes: Record<Encoding, string> = {
  protobuf: 'application/x-protobuf',
  json: 'application/json',
};

export const contentTypeOf = (encoding: Encoding): string => contentTypes[encoding];

/** Returns the form that a content type says; undefined for any other type. */
export function encodingOf(contentType: string | undefined): Encoding | undefined {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase();
  if (type === contentTypes.protobuf) return 'protobuf';
  return type === contentTypes.json ? 'json' : undefined;
}

/** The codes of google.rpc.Code, by the status that a reply has in HTTP. */
const rpcCodes: Record<number, number> = {
  400: 3,
  401: 16,
  403: 7,
  404: 5,
  405: 12,
  413: 3,
  415: 3,
  429: 8,
  503: 14,
};
const internalCode = 13;

/**
 * Writes the refusal of a request that has the given content type: a google.rpc.Status in the form
 * of the request, or in JSON where its form is none of OTLP. `status` is that of the reply in HTTP.
 */
export function writeRefusal(
  requestType: string | undefined,
  { status, message }: { status: number; message: string },
): { contentType: string; body: Buffer } {
  const encoding = encodingOf(requestType) ?? 'json';
  const code = rpcCodes[status] ?? internalCode;
  return {
    contentType: contentTypeOf(encoding),
    body: Buffer.from(writeStatus(encoding, { code, message })),
  };
}

/** The part of a request that was not taken; a client must not send it again. */
export interface PartialSuccess {
  /** Spans, log records or data points. */
  rejected: number;
  /** For people; may be given where nothing was rejected, as a warning. */
  message: string;
}

/** The name of the count of a partial success in JSON. */
export type CountedName = 'rejectedSpans' | 'rejectedLogRecords' | 'rejectedDataPoints';

/**
 * Writes the reply to a request that was taken: an Export…ServiceResponse, whose only field is its
 * partial success. `counted` is the name of its number in JSON.
 */
export function writeReply(
  encoding: Encoding,
  { rejected, message }: PartialSuccess,
  counted: CountedName,
): Uint8Array {
  const isWhole = rejected === 0 && message === '';
  if (encoding === 'json') {
    const partialSuccess = { [counted]: String(rejected), errorMessage: message };
    return Buffer.from(JSON.stringify(isWhole ? {} : { partialSuccess }));
  }
  const writer = new BinaryWriter();
  if (!isWhole) {
    writer.tag(1, LengthDelimited).fork();
    if (rejected > 0) writer.tag(1, Varint).int64(rejected);
    if (message !== '') writer.tag(2, LengthDelimited).string(message);
    writer.join();
  }
  return writer.finish();
}

function writeStatus(
  encoding: Encoding,
  { code, message }: { code: number; message: string },
): Uint8Array {
  if (encoding === 'json') return Buffer.from(JSON.stringify({ code, message }));
  const writer = new BinaryWriter();
  if (code !== 0) writer.tag(1, Varint).int32(code);
  if (message !== '') writer.tag(2, LengthDelimited).string(message);
  return writer.finish();
}
