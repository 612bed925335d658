import { expect, test } from 'vitest';
import { sourceOf } from '../src/pages/session/source.ts';
import { argumentsText, partsOf } from '../src/pages/trace/message-parts.ts';
import { withResults } from '../src/pages/trace/results-of-calls.ts';
import { bucketAt, timeOf } from '../src/pages/traces/buckets.ts';
import { instrumentationsFor } from '../src/pages/traces/instrumentations.ts';
import { countNew } from '../src/pages/traces/new-traces.ts';
import {
  durationOf,
  type TraceListState,
  traceLanguage,
} from '../src/pages/traces/trace-language.ts';
import { readDraft, writeFilters } from '../src/parts/filter/language.ts';

const known = { names: [], services: [], models: [], sessions: [], users: [], tags: [] };

test('filters of traces are written as words, with the units that people use', () => {
  const read = (draft: string, state: TraceListState = {}) =>
    readDraft(traceLanguage(state, known), state, draft);
  const { state, mistakes } = read(
    'error:true service:support-bot duration>=1.5s cost>=$0.01 tag:"needs a look" settled:false rating:bad name:answer "where is"',
  );
  expect(mistakes).toEqual([]);
  expect(state).toEqual({
    error: 'true',
    service: 'support-bot',
    minDurationMs: '1500',
    minCostUsd: '0.01',
    tag: 'needs a look',
    settled: 'false',
    rating: 'false',
    name: 'answer',
    text: 'where is',
  });
  // What is written of the filters in force says the same again.
  expect(read(writeFilters(traceLanguage(state, known), state)).state).toEqual(state);

  expect(read('duration>=soon cost>=1e9 from:yesterday').mistakes.map(({ says }) => says)).toEqual([
    '“soon” is no duration: write 800ms, 2s or 1min.',
    '“1e9” is no cost: write dollars, such as 0.01.',
    '“yesterday” is no time: write 2026-03-01, 2026-03-01T09:30, or 24h for a day ago.',
  ]);
});

test('durations are numbers with a unit, of milliseconds where they have none', () => {
  expect(['800', '0.5ms', '2s', '1.5min', '1h', '-1', '1e9', ''].map(durationOf)).toEqual([
    800,
    0.5,
    2000,
    90_000,
    3_600_000,
    undefined,
    undefined,
    undefined,
  ]);
});

test('new traces are those that the list does not have, and that are not older than all of it', () => {
  const trace = (traceId: string, second: number) => ({
    traceId,
    startedAt: `2026-03-01T00:00:0${second}.000Z`,
  });
  const listed = [trace('c', 3), trace('b', 2)];
  expect(countNew([trace('d', 4), ...listed], listed)).toBe(1);
  // One that began earlier may come later; one before all of the list was always there.
  expect(countNew([trace('late', 2), trace('a', 1)], listed)).toBe(1);
  expect(countNew([trace('a', 1)], [])).toBe(1);
  expect(countNew([], listed)).toBe(0);
});

test('texts of a message are read in the shapes of all instrumentations, and all else is its JSON', () => {
  expect(partsOf('hello')).toEqual([{ kind: 'text', text: 'hello' }]);
  expect(
    partsOf([{ type: 'text', text: 'one' }, { type: 'text', content: 'two' }, 'three']),
  ).toEqual(['one', 'two', 'three'].map((text) => ({ kind: 'text', text })));
  const url = 'data:image/png;base64,iVBORw0KGgo=';
  expect(partsOf([{ type: 'image', url }])).toEqual([{ kind: 'picture', text: url }]);
  const image = { type: 'image', text: 'of a cat' };
  const odd = { type: 'text', text: 'one', cacheControl: true };
  expect(partsOf([image, odd, 4]).map(({ kind, text }) => [kind, JSON.parse(text)])).toEqual([
    ['json', image],
    ['json', odd],
    ['json', 4],
  ]);
  expect([partsOf(null), partsOf(''), partsOf([])]).toEqual([[], [], []]);
  expect(argumentsText('{"a":1}')).toBe('{\n  "a": 1\n}');
  expect(argumentsText('{"a":')).toBe('{"a":');
  expect(argumentsText({ a: 1 })).toBe('{\n  "a": 1\n}');
  expect(argumentsText(undefined)).toBe('');
});

test('results of tools stand below the calls that they answer', () => {
  const call = { id: 'call_1', name: 'track', arguments: { parcel: 7 } };
  const calls = { role: 'assistant', content: null, toolCalls: [call] };
  const result = { role: 'tool', content: 'late', toolCallId: 'call_1' };
  const lost = { role: 'tool', content: 'lost', toolCallId: 'call_2' };
  expect(withResults([calls, result, lost])).toEqual([
    { role: 'assistant', content: null, calls: [{ ...call, results: ['late'] }] },
    { ...lost, calls: [] },
  ]);
});

test('each instrumentation is told this address, the project and where the key goes', () => {
  const all = instrumentationsFor('https://assay.example.com/team', 'project-1');
  for (const { name, lines } of all) {
    expect(lines, name).toMatch(/="https:\/\/assay\.example\.com\/team\/otel(?:\/v1\/traces)?"$/m);
    expect(lines, name).toContain('project-1');
    expect(lines, name).toContain('YOUR_API_KEY');
    for (const line of lines.split('\n'))
      expect(line).toMatch(/^export [A-Z_]+=(?:"[^"$`\\]*"|1)$/);
  }
  expect(new Set(all.map(({ name }) => name)).size).toBe(6);
});

test('what a trace says is found in the span of which it was read', () => {
  const spans = [
    { id: 1, inputPreview: 'hi', outputPreview: null },
    { id: 2, inputPreview: 'hi', outputPreview: 'hello' },
    { id: 3, inputPreview: 'other', outputPreview: 'hello' },
  ];
  expect(sourceOf(spans, 'input', 'hi')?.id).toBe(1);
  expect(sourceOf(spans, 'output', 'hello')?.id).toBe(3);
  expect(sourceOf(spans, 'output', 'else')).toBeUndefined();
  expect(sourceOf(spans, 'output', null)).toBeUndefined();
});

test('a click in the volume chooses the time of a bar, and a drag that of all between, in either direction', () => {
  const volume = {
    to: '2026-03-01T03:00:00.000Z',
    data: [0, 1, 2].map((hour) => ({ from: `2026-03-01T0${hour}:00:00.000Z` })),
  };
  const { data, to } = volume;
  expect([-0.1, 0, 0.34, 0.99, 1].map((share) => bucketAt(share, data.length))).toEqual([
    0, 0, 1, 2, 2,
  ]);
  expect(timeOf(volume, [1, 1])).toEqual({ from: data[1]!.from, to: data[2]!.from });
  for (const [one, other] of [
    [1, 2],
    [2, 1],
  ] as [number, number][])
    expect(timeOf(volume, [one, other])).toEqual({ from: data[1]!.from, to });
});
