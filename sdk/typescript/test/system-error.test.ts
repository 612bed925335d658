import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { callSystem } from '../src/execution.ts';
import { createErrorLog, systemErrorOf } from '../src/system-error.ts';

const unreadable = new Proxy(new Error('x'), {
  get() {
    throw new Error('The response has not been set.');
  },
});

describe('what a system throws', () => {
  test('has its name, its message and where it was thrown', () => {
    const error = systemErrorOf(new RangeError('too far'));
    expect(error).toMatchObject({ name: 'RangeError', message: 'too far' });
    expect(error.stack).toContain('system-error.test.ts');
    expect(error).not.toHaveProperty('status');
  });

  test('has no frames of this package', async () => {
    const system = async () => {
      await Promise.resolve();
      throw new RangeError('too far');
    };
    const testcase = { inputs: {}, expected: {} } as never;
    const { signal } = new AbortController();
    const call = { system, testcase, trial: 1, timeoutMs: 60_000, signal };
    const { stack } = (await callSystem(call)).error!;
    expect(stack).toMatch(/^RangeError: too far\n\s+at .*system-error\.test\.ts/);
    expect(stack).not.toMatch(/execution\.ts|node:internal/);
  });

  test.each([
    ['text', { name: 'Error', message: 'text' }],
    [undefined, { name: 'Error', message: 'undefined' }],
    [null, { name: 'Error', message: 'null' }],
  ])('may be %j', (thrown, error) => {
    expect(systemErrorOf(thrown)).toEqual(error);
  });

  test.each([
    [{ status: 429 }, 429],
    [{ statusCode: 503 }, 503],
    [{ response: { status: 529 } }, 529],
    [{ status: 'failed' }, undefined],
    [{ status: 7 }, undefined],
  ])('has the status of a provider: %j', (more, status) => {
    expect(systemErrorOf(Object.assign(new Error('limit'), more)).status).toBe(status);
  });

  test('is read whatever it is', () => {
    const nameless: unknown = Object.create(null);
    const quota = { name: 'Quota', message: 'used up', status: 429 };
    expect(systemErrorOf(nameless)).toEqual({ name: 'Error', message: '' });
    expect(systemErrorOf(quota)).toEqual(quota);
    expect(systemErrorOf(unreadable)).toEqual({ name: 'Error', message: '' });
  });

  test('is cut to what a record takes, in bytes of UTF-8, and says so', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), fc.nat(4), (text, shift) => {
        const long = `${'x'.repeat(shift)}${'😀'.repeat(5000)}${text}`;
        const { message } = systemErrorOf(new Error(long));
        const bytes = Buffer.byteLength(message);
        expect(bytes).toBeLessThanOrEqual(16 * 1024);
        expect(bytes).toBeGreaterThan(16 * 1024 - 8);
        expect(message.endsWith('😀…')).toBe(true);
        expect(message.isWellFormed()).toBe(true);
      }),
    );
  });
});

describe('the errors of an evaluation are told', () => {
  const sentenceOf = (...errors: [string, string][]) => {
    const log = createErrorLog();
    for (const [name, message] of errors) log.add({ name, message });
    return log.sentence();
  };

  test('by name, with the message where it is one, the most frequent first', () => {
    expect(
      sentenceOf(
        ['TimeoutError', 'No answer within 5 ms.'],
        ['ConnectionError', 'model down'],
        ['ConnectionError', 'model down'],
        ['KeyError', 'a'],
        ['KeyError', 'b'],
        ['KeyError', 'c'],
      ),
    ).toBe(
      'The system failed on 6 records: KeyError (3), ConnectionError: model down (2), TimeoutError: No answer within 5 ms. (1).',
    );
  });

  test('on one line, however long a message is, and five kinds of them', () => {
    const kinds = ['A', 'B', 'C', 'D', 'E', 'F', 'G'].map((name): [string, string] => [name, '']);
    expect(sentenceOf(...kinds)).toMatch(/: A \(1\), B \(1\), .*E \(1\), 2 more kinds\.$/);
    expect(sentenceOf(['A', `first\n\nsecond ${'x'.repeat(500)}`])).toMatch(
      /^The system failed on 1 record: A: first second x{107}… \(1\)\.$/,
    );
    expect(sentenceOf(['N'.repeat(256), ''])).toMatch(/: N{120}… \(1\)\.$/);
    expect(sentenceOf()).toBeUndefined();
  });
});
