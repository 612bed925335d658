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

/**
 * Counts the data points of a request with metrics.
 * @throws OtlpFailure where the body is no request.
 */
export const countDataPoints = (bytes: Uint8Array, encoding: Encoding): number =>
  encoding === 'protobuf'
    ? readRequest(bytes, (reading) => countIn(reading, bytes.length, levels))
    : countInJson(readJson(Buffer.from(bytes).toString()), levels);

/** In JSON, from the request down to what each signal sends. */
const levelsInJson = {
  traces: ['resourceSpans', 'scopeSpans', 'spans'],
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
};

/**
 * Counts what a request in JSON has of other signals than its own, whose members differ in name:
 * they are no fault of it, and would be passed over in silence.
 * @throws OtlpFailure where the body is no JSON.
 */
export function countOfOtherSignals(text: string, signal: keyof typeof levelsInJson): number {
  const body = readJson(text);
  const other = signal === 'traces' ? levelsInJson.logs : levelsInJson.traces;
  const levelsOfOther = other.map((name) => ({ numbers: [], names: [name] }));
  return countInJson(body, levels) + countInJson(body, levelsOfOther);
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
const countInJson = (place: Place, [level, ...below]: Level[]): number =>
  level!.names
    .flatMap((name) => {
      const inner = member(place, name);
      return Array.isArray(inner.value) || inner.value == null ? elementsOf(inner) : [inner];
    })
    .reduce((count, inner) => count + (below.length === 0 ? 1 : countInJson(inner, below)), 0);
