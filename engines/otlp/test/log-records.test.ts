import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { expect, test } from 'vitest';

import { readLogRecordsOfJson } from '../json/read-log-records.ts';
import { isLogRecord, isRoot, spanOfLogRecord } from '../log-record.ts';
import { mergeParts } from '../merge-parts.ts';
import { readLogRecords } from '../protobuf/read-log-records.ts';
import { readSpans } from '../protobuf/read-spans.ts';
import { writeSpan } from '../protobuf/write.ts';
import type { ReceivedSpan, Span } from '../span.ts';
import { uniqueSpans } from '../unique-spans.ts';

const { Bit64, LengthDelimited } = WireType;
const traceId = new Uint8Array(16).fill(1);
const spanId = new Uint8Array(8).fill(2);
const details = 'gen_ai.client.inference.operation.details';

const span: Span = {
  traceId,
  spanId,
  parentSpanId: new Uint8Array(),
  name: 'chat',
  kind: 3,
  start: 1n,
  end: 2n,
  attributes: new Map(),
  events: [],
  links: [],
  status: { code: 0, message: '' },
};
const received = (own: Span): ReceivedSpan => ({ span: own, bytes: writeSpan(own) });
const record = (time: bigint, text: string) => ({
  time,
  observedTime: 0n,
  eventName: 'gen_ai.user.message',
  body: new Map([['content', text]]),
  attributes: new Map(),
  traceId,
  spanId,
});

test('a log record is read from protobuf as from JSON', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), fc.nat(), fc.boolean(), (text, time, isNamed) => {
      const writer = new BinaryWriter();
      const message = (number: number, write: () => void) => {
        writer.tag(number, LengthDelimited).fork();
        write();
        writer.join();
      };
      const string = (number: number, value: string) =>
        writer.tag(number, LengthDelimited).string(value);
      const pair = (number: number, key: string, value: string) =>
        message(number, () => {
          string(1, key);
          message(2, () => string(1, value));
        });
      message(1, () =>
        message(2, () =>
          message(2, () => {
            writer.tag(1, Bit64).fixed64(BigInt(time));
            message(5, () => message(6, () => pair(1, 'content', text)));
            pair(6, isNamed ? 'model' : 'event.name', isNamed ? text : details);
            writer.tag(9, LengthDelimited).bytes(traceId);
            writer.tag(10, LengthDelimited).bytes(spanId);
            writer.tag(11, Bit64).fixed64(7n);
            if (isNamed) string(12, details);
          }),
        ),
      );
      const attribute = (key: string, stringValue: string) => ({ key, value: { stringValue } });
      const json = JSON.stringify({
        resourceLogs: [
          {
            scopeLogs: [
              {
                logRecords: [
                  {
                    timeUnixNano: String(time),
                    observedTimeUnixNano: '7',
                    ...(isNamed ? { eventName: details } : {}),
                    body: { kvlistValue: { values: [attribute('content', text)] } },
                    attributes: [
                      isNamed ? attribute('model', text) : attribute('event.name', details),
                    ],
                    traceId: '01'.repeat(16),
                    spanId: '02'.repeat(8),
                  },
                ],
              },
            ],
          },
        ],
      });
      const [binary, fromJson] = [readLogRecords(writer.finish()), readLogRecordsOfJson(json)];
      const spansOf = ({ batches }: typeof binary) => batches[0]!.scopes[0]!.spans;
      expect(spansOf(binary)).toEqual(spansOf(fromJson));
      expect(spansOf(binary)[0]!.span).toMatchObject({ name: details, start: BigInt(time || 7) });
      expect([binary.numOthers, fromJson.numOthers]).toEqual([0, 0]);
    }),
  );
});

test('a log record of another kind, or of no span, is counted and not kept', () => {
  expect(spanOfLogRecord({ ...record(1n, 'x'), eventName: 'exception' })).toBeUndefined();
  expect(spanOfLogRecord({ ...record(1n, 'x'), spanId: new Uint8Array() })).toBeUndefined();
  expect(spanOfLogRecord(record(1n, 'x'))).toBeDefined();
});

test('log records become events of their span, each once, in any order and in any number of steps', () => {
  const own = received(span);
  const records = [1n, 2n, 3n].map((time) => spanOfLogRecord(record(time, `text ${time}`))!);
  const all = [own, ...records];
  const partOf = (spans: ReceivedSpan[]) => {
    const scope = { name: '', version: '', attributes: new Map() };
    const scopes = [{ scope, scopeBytes: undefined, schemaUrl: '', spans }];
    const resource = { attributes: new Map() };
    return [{ resource, resourceBytes: undefined, schemaUrl: '', scopes }];
  };
  fc.assert(
    fc.property(
      fc.shuffledSubarray([...all, ...all], { minLength: 8 }),
      fc.nat({ max: 8 }),
      (spans, at) => {
        // Merged, stored, and merged again with what came later.
        const [early, late] = [spans.slice(0, at), spans.slice(at)];
        const first = mergeParts([partOf(early)], 1e6).map(({ bytes }) => readSpans(bytes));
        const [whole, ...others] = mergeParts([...first, partOf(late)], 1e6);
        expect(others).toEqual([]);
        const again = readSpans(whole!.bytes)[0]!.scopes.flatMap((scope) => scope.spans);
        expect(uniqueSpans(again)).toHaveLength(1);
        const [only] = uniqueSpans(again);
        expect(only!.span).toMatchObject({ name: 'chat', kind: 3 });
        expect(only!.span.events.map(({ time }) => time).toSorted()).toEqual([1n, 2n, 3n]);
        expect(writeSpan(only!.span)).toEqual(only!.bytes);
      },
    ),
  );
});

test('a log record stands for its span until that comes, and is no root', () => {
  const [one, other] = [spanOfLogRecord(record(1n, 'x'))!, spanOfLogRecord(record(2n, 'y'))!];
  const [only, ...none] = uniqueSpans([one, other]);
  expect(none).toEqual([]);
  expect(isLogRecord(only!.span)).toBe(true);
  expect(isRoot(only!.span)).toBe(false);
  expect(only!.span.events).toHaveLength(2);
  expect(isRoot(span)).toBe(true);
  // Some clients write the id of no span as zeros.
  expect(isRoot({ ...span, parentSpanId: new Uint8Array(8) })).toBe(true);
});
