import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createConversionLog, outputsOf } from '../src/conversion.ts';

function* count(end: number) {
  for (let number = 0; number < end; number++) yield number;
}

const endless: Record<string, unknown> = { a: [1] };
(endless.a as unknown[]).push(endless);

describe('what a system returned', () => {
  test.each<[string, unknown, unknown]>([
    ['a bigint that a double holds', 10n, 10],
    ['a longer bigint', 10n ** 30n, `1${'0'.repeat(30)}`],
    ['a Map', new Map<unknown, unknown>([[1, new Set([2])]]), { 1: [2] }],
    ['a date', new Date(0), '1970-01-01T00:00:00.000Z'],
    ['bytes', new Uint8Array([255]), '/w=='],
    ['a buffer', Buffer.from([255]), '/w=='],
    ['numbers of a typed array', new Float32Array([1.5]), [1.5]],
    ['an error', new RangeError('far'), { name: 'RangeError', message: 'far' }],
    ['a member that is undefined', { a: undefined, b: [undefined] }, { b: [null] }],
    ['half of a surrogate pair', { 'half \ud800': '\udc00' }, { 'half \ud800': '\udc00' }],
    ['a number in an object', new Number(3), 3],
    ['a text in an object', new String('ab'), 'ab'],
    ['a nested generator', [count(2)], [[0, 1]]],
    [
      'an object of a class',
      new (class Point {
        x = 1;
      })(),
      { x: 1 },
    ],
    ['an empty object without a class', [{}, Object.create(null), new Map()], [{}, {}, {}]],
    ['an address', new URL('http://localhost/a'), 'http://localhost/a'],
    ['a member called __proto__', JSON.parse('{"__proto__": 1}'), JSON.parse('{"__proto__": 1}')],
  ])('%s has its JSON', (_what, value, expected) => {
    const { outputs, notes } = outputsOf({ x: value });
    expect(notes).toEqual([]);
    expect(outputs.x).toEqual(expected);
  });

  test.each<[unknown, object]>([
    [3, { output: 3 }],
    [[1], { output: [1] }],
    [new Date(0), { output: '1970-01-01T00:00:00.000Z' }],
    [new Map([['a', 1]]), { a: 1 }],
    [undefined, { output: null }],
  ])('%j has outputs that are an object', (value, outputs) => {
    expect(outputsOf(value)).toEqual({ outputs, notes: [] });
  });

  test.each<[string, unknown, string, string]>([
    ['NaN', Number.NaN, '/outputs/x', 'NaN'],
    ['a function', { 'a/b': () => 1 }, '/outputs/x/a~1b', 'function'],
    ['a date that is none', new Date(Number.NaN), '/outputs/x', 'date'],
    ['what contains itself', endless, '/outputs/x/a/1', 'contains itself'],
    [
      'a getter that throws',
      {
        get a() {
          throw new Error('locked');
        },
      },
      '/outputs/x/a',
      'A getter that failed with locked',
    ],
    ['a promise', [Promise.resolve(1)], '/outputs/x/0', 'A value of Promise'],
    ['a regular expression', /a/, '/outputs/x', 'A value of RegExp'],
    ['memory', new ArrayBuffer(3), '/outputs/x', 'A value of ArrayBuffer'],
    ['a weak map', new WeakMap(), '/outputs/x', 'A value of WeakMap'],
    ['an asynchronous generator', (async function* () {})(), '/outputs/x', 'is no JSON'],
    [
      'a class that hides its members',
      new (class Hidden {
        #x = 1;
        get x() {
          return this.#x;
        }
      })(),
      '/outputs/x',
      'Hidden',
    ],
  ])('%s is null, with a note that names its place', (_what, value, path, why) => {
    const { notes } = outputsOf({ x: value });
    expect(notes).toEqual([{ code: 'not_converted', path, message: expect.stringContaining(why) }]);
  });

  test('keeps its other members where a getter throws', () => {
    const answer = {
      answer: 'right',
      get lazy() {
        throw new Error('locked');
      },
    };
    const { outputs, notes } = outputsOf(answer);
    expect(outputs).toEqual({ answer: 'right', lazy: null });
    expect(notes).toMatchObject([{ path: '/outputs/lazy' }]);
  });

  test('keeps the first of two members of a Map whose names are the same text', () => {
    const { outputs, notes } = outputsOf(
      new Map<unknown, unknown>([
        [1, 'a'],
        ['1', 'b'],
      ]),
    );
    expect(outputs).toEqual({ 1: 'a' });
    expect(notes).toEqual([
      {
        code: 'not_converted',
        path: '/outputs/1',
        message: 'A second member of the same name is no JSON: it was left out.',
      },
    ]);
  });

  test('has its note at the field in which it is stored', () => {
    const { outputs, notes } = outputsOf(/a/);
    expect(outputs).toEqual({ output: null });
    expect(notes).toMatchObject([{ path: '/outputs/output' }]);
    expect(outputsOf(count(2)).outputs).toEqual({ output: [0, 1] });
  });

  test('is JSON, whatever it is, and says so where something was left out', () => {
    const leaf = fc.oneof(
      fc.anything({ withBigInt: true, withDate: true, withMap: true, withSet: true }),
      fc.constant(() => 1),
      fc.constant(Symbol('s')),
      fc.string({ unit: 'binary' }),
    );
    fc.assert(
      fc.property(leaf, (value) => {
        const { outputs, notes } = outputsOf(value);
        expect(JSON.parse(JSON.stringify(outputs))).toEqual(outputs);
        expect(JSON.stringify(outputs).isWellFormed()).toBe(true);
        expect(notes.length).toBeLessThanOrEqual(20);
      }),
    );
    let deep: unknown = [];
    for (let level = 0; level < 100_000; level++) deep = [deep];
    expect(outputsOf(deep).notes).toHaveLength(1);
  });

  test('is counted once for an evaluation', () => {
    const log = createConversionLog();
    expect(log.notes()).toEqual([]);
    for (const value of [Number.NaN, 1, [Number.NaN, () => 1]]) log.add(outputsOf(value).notes);
    expect(log.notes()).toEqual([
      {
        text: expect.stringContaining('3 values of 2 records could not be stored. The first: /o'),
        isFailure: true,
      },
    ]);
  });
});
