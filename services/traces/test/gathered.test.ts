import { writeRequest } from '@assay/otlp/cut-by-trace';
import { readSpansOfJson } from '@assay/otlp/json/read-spans';
import { readSpans } from '@assay/otlp/protobuf/read-spans';
import { expect, test } from 'vitest';
import { gatherArrivals, gatherParts } from '../src/store/gathered.ts';
import type { Arrival } from '../src/store.ts';
import { exportOf, newTraceId } from './setting.ts';

const expiresAt = new Date('2026-12-01T00:00:00.000Z');
const later = new Date('2026-12-02T00:00:00.000Z');

function partOf(organizationId: string, traceId: string, name: string, numSpans = 1) {
  const bytes = writeRequest(
    readSpansOfJson(JSON.stringify(exportOf([{ traceId, name }], { 'service.name': name }))),
  );
  const spanIds = Buffer.from(name);
  return { organizationId, part: { id: name, traceId, bytes, numSpans, spanIds, expiresAt } };
}

test('parts of one trace that are stored at the same time are one part with all of their spans, and those of others are not', () => {
  const [traceId, other] = [newTraceId(), newTraceId()];
  const gathered = gatherParts([
    partOf('one', traceId, 'a'),
    partOf('one', other, 'b'),
    partOf('two', traceId, 'c'),
    partOf('one', traceId, 'd'),
  ]);
  const namesOf = (bytes: Uint8Array) =>
    readSpans(bytes).flatMap(({ resource, scopes }) =>
      scopes.flatMap(({ spans }) =>
        spans.map(({ span }) => `${resource.attributes.get('service.name')}/${span.name}`),
      ),
    );
  expect(
    gathered.map(({ organizationId, part }) => [
      organizationId,
      part.traceId,
      part.numSpans,
      namesOf(part.bytes),
      Buffer.from(part.spanIds).toString(),
    ]),
  ).toEqual([
    ['one', traceId, 2, ['a/a', 'd/d'], 'ad'],
    ['one', other, 1, ['b/b'], 'b'],
    ['two', traceId, 1, ['c/c'], 'c'],
  ]);
});

test('a part of a trace does not grow beyond 256 KiB by others', () => {
  const traceId = newTraceId();
  const large = partOf('one', traceId, 'a');
  const part = { ...large.part, bytes: new Uint8Array(200 * 1024) };
  const gathered = gatherParts([large, large, large].map((each) => ({ ...each, part })));
  expect(gathered.map(({ part }) => part.bytes.length)).toEqual(Array(3).fill(200 * 1024));
});

test('what several requests tell of a trace is told at once: its first start, its last end, its root and the project that is named', () => {
  const arrival: Arrival = {
    traceId: newTraceId(),
    projectId: 'oldest',
    isProjectGuessed: true,
    numSpans: 1,
    numErrors: 0,
    startedAt: 20,
    endedAt: 30,
    firstName: 'late',
    rootName: undefined,
    serviceName: undefined,
    at: expiresAt,
    expiresAt,
    isNeverKept: false,
  };
  const others: Partial<Arrival>[] = [
    { projectId: 'named', isProjectGuessed: false, serviceName: 'bot' },
    { startedAt: 10, firstName: 'early', numErrors: 1, numSpans: 3 },
    { endedAt: 90, rootName: 'root', at: later, expiresAt: later },
  ];
  const arrivals = [{}, ...others].map((change) => ({
    organizationId: 'one',
    arrival: { ...arrival, ...change },
  }));
  const whole = {
    ...arrival,
    projectId: 'named',
    isProjectGuessed: false,
    numSpans: 6,
    numErrors: 1,
    startedAt: 10,
    endedAt: 90,
    firstName: 'early',
    rootName: 'root',
    serviceName: 'bot',
    at: later,
    expiresAt: later,
  };
  for (const order of [arrivals, arrivals.toReversed()])
    expect(gatherArrivals(order)).toEqual([{ organizationId: 'one', arrival: whole }]);
});
