import { WireType } from '@bufbuild/protobuf/wire';
import { elementsOf, member, type Place, readJson } from './json/members.ts';
import {
  countMessage,
  type Fields,
  type Reading,
  readFields,
  readMessage,
  readRequest,
} from './protobuf/messages.ts';
import type { Encoding } from './reply.ts';

/** A level of a request: the fields in which the next one stands, in protobuf and in JSON. */
interface Level {
  numbers: number[];
  names: string[];
}

/** opentelemetry-proto 1.11, metrics/v1/metrics.proto: from the request down to the data points. */
const levels: Level[] = [
  { numbers: [1], names: ['resourceMetrics'] },
  { numbers: [2], names: ['scopeMetrics'] },
  { numbers: [2], names: ['metrics'] },
  {
    numbers: [5, 7, 9, 10, 11],
    names: ['gauge', 'sum', 'histogram', 'exponentialHistogram', 'summary'],
  },
  { numbers: [1], names: ['dataPoints'] },
];
const namesOfLevels = levels.map(({ names }) => names);

/**
 * Counts the data points of a request with metrics.
 * @throws OtlpFailure where the body is no request.
 */
export const countDataPoints = (bytes: Uint8Array, encoding: Encoding): number =>
  encoding === 'protobuf'
    ? readRequest(bytes, (reading) => countIn(reading, bytes.length, levels))
    : countInJson(readJson(Buffer.from(bytes).toString()), namesOfLevels);

/** The members of JSON from the request down to a span, and down to a log record. */
const namesInJson = {
  traces: [['resourceSpans'], ['scopeSpans'], ['spans']],
  logs: [['resourceLogs'], ['scopeLogs'], ['logRecords']],
};

/**
 * Counts the spans, log records and data points in a JSON request for another signal. Their members
 * have names of their own, so the reader of that signal passes over them in silence.
 * @throws OtlpFailure where the body is no JSON.
 */
export function countOfOtherSignals(text: string, signal: keyof typeof namesInJson): number {
  const body = readJson(text);
  const other = signal === 'traces' ? namesInJson.logs : namesInJson.traces;
  return countInJson(body, namesOfLevels) + countInJson(body, other);
}

function countIn(reading: Reading, end: number, [level, ...below]: Level[]): number {
  let count = 0;
  const take = () =>
    readMessage(reading, (inner) => {
      countMessage(reading);
      if (below.length > 0) count += countIn(reading, inner, below);
      else {
        count += 1;
        readFields(reading, inner, {});
      }
    });
  const fields: Fields = Object.fromEntries(
    level!.numbers.map((number) => [number, [WireType.LengthDelimited, take] as const]),
  );
  readFields(reading, end, fields);
  return count;
}

/** A level is a list of JSON, but for the one value of a metric. */
const countInJson = (place: Place, [names, ...below]: string[][]): number =>
  names!
    .flatMap((name) => {
      const inner = member(place, name);
      return Array.isArray(inner.value) || inner.value == null ? elementsOf(inner) : [inner];
    })
    .reduce((count, inner) => count + (below.length === 0 ? 1 : countInJson(inner, below)), 0);
