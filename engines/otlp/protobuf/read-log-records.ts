import { WireType } from '@bufbuild/protobuf/wire';
import { type LogRecord, type SpansOfLogs, spanOfLogRecord } from '../log-record.ts';
import type { ReceivedSpan } from '../span.ts';
import { countMessage, type Reading, readFields, readMessage } from './messages.ts';
import { readBatches } from './read-spans.ts';
import { attributesField, readValue } from './read-values.ts';

const { Bit64, LengthDelimited } = WireType;

/**
 * Reads an ExportLogsServiceRequest in protobuf: opentelemetry-proto 1.11, logs/v1/logs.proto.
 * @throws OtlpFailure
 */
export function readLogRecords(bytes: Uint8Array): SpansOfLogs {
  let numOthers = 0;
  const batches = readBatches(bytes, (reading): ReceivedSpan | undefined => {
    const span = spanOfLogRecord(readLogRecord(reading));
    if (!span) numOthers += 1;
    return span;
  });
  return { batches, numOthers };
}

function readLogRecord(reading: Reading): LogRecord {
  countMessage(reading);
  const { reader } = reading;
  const record: LogRecord = {
    time: 0n,
    observedTime: 0n,
    eventName: '',
    body: undefined,
    attributes: new Map(),
    traceId: new Uint8Array(),
    spanId: new Uint8Array(),
  };
  readMessage(reading, (end) =>
    readFields(reading, end, {
      1: [Bit64, () => (record.time = BigInt(reader.fixed64()))],
      5: [LengthDelimited, () => (record.body = readValue(reading, 0))],
      6: attributesField(reading, record.attributes),
      9: [LengthDelimited, () => (record.traceId = reader.bytes())],
      10: [LengthDelimited, () => (record.spanId = reader.bytes())],
      11: [Bit64, () => (record.observedTime = BigInt(reader.fixed64()))],
      12: [LengthDelimited, () => (record.eventName = reader.string())],
    }),
  );
  return record;
}
