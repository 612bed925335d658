import { missingId } from '@assay/testing/run-records';
import { describe, expect, test } from 'vitest';
import { isMatching, isSampled } from '../src/domain/sampling.ts';

describe('sampling', () => {
  const monitor = (sampleRate: number, sampleBy: 'trace' | 'session' = 'trace') => ({
    id: missingId,
    sampleRate,
    sampleBy,
  });
  const heads = Array.from({ length: 2000 }, (_, at) => ({
    traceId: `${at}`,
    sessionId: `${at % 100}`,
  }));

  test('takes about its share, none at 0 and all at 1, and at a higher rate those of a lower one', () => {
    const taken = (rate: number) => heads.filter((head) => isSampled(monitor(rate), head));
    expect([taken(0).length, taken(1).length]).toEqual([0, 2000]);
    expect(taken(0.25).length).toBeGreaterThan(400);
    expect(taken(0.25).length).toBeLessThan(600);
    const more = new Set(taken(0.5));
    expect(taken(0.25).every((head) => more.has(head))).toBe(true);
  });

  test('by session takes all traces of a session or none', () => {
    const taken = heads.filter((head) => isSampled(monitor(0.3, 'session'), head));
    const sessions = new Set(taken.map(({ sessionId }) => sessionId));
    expect(taken.length).toBe(sessions.size * 20);
    expect(sessions.size).toBeGreaterThan(10);
    expect(sessions.size).toBeLessThan(60);
  });

  test('of a filter wants all that it names', () => {
    const head = {
      serviceName: 'bot',
      name: 'answer',
      models: ['m'],
      tags: ['a', 'b'],
      metadata: [['region', 'eu']],
      numErrors: 1,
      startedAt: 1000,
      endedAt: 3000,
      ratings: [false],
    } as never;
    const all = {
      serviceName: 'bot',
      name: 'answer',
      model: 'm',
      tags: ['a', 'b'],
      metadata: { region: 'eu' },
      hasError: true,
      minDurationMs: 2000,
      rating: false,
    };
    expect(isMatching({ filter: {} }, head)).toBe(true);
    expect(isMatching({ filter: all }, head)).toBe(true);
    const others: Record<string, unknown>[] = [
      { serviceName: 'x' },
      { name: 'x' },
      { model: 'x' },
      { tags: ['a', 'c'] },
      { metadata: { region: 'us' } },
      { metadata: { other: 'eu' } },
      { hasError: false },
      { minDurationMs: 2001 },
      { rating: true },
    ];
    for (const other of others)
      expect(isMatching({ filter: { ...all, ...other } }, head)).toBe(false);
  });
});
