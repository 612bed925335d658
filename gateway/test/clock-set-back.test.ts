import { afterEach, expect, test, vi } from 'vitest';
import { createLimits } from '../src/limits.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test("an organization's minute ends after a minute, not after an hour, when the clock is set back", () => {
  const now = Date.now;
  let behindMs = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => now() - behindMs);
  const limits = createLimits({ perMinute: () => 1 });
  limits.count('o', []);
  behindMs = 3_600_000;
  expect(() => limits.count('o', [])).toThrow(expect.objectContaining({ code: 'RATE_LIMITED' }));
  const headers: string[] = [];
  limits.count('other', headers);
  expect(Number(headers[headers.indexOf('ratelimit-reset') + 1])).toBeLessThanOrEqual(60);
});
