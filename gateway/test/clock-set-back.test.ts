import { afterEach, expect, test, vi } from 'vitest';
import { createLimits } from '../src/limits.ts';

afterEach(() => {
  vi.restoreAllMocks();
});

test("an organization's minute ends after a minute, not after an hour, when the clock is set back", async () => {
  const now = Date.now;
  let behindMs = 0;
  vi.spyOn(Date, 'now').mockImplementation(() => now() - behindMs);
  const taken = new Set<string>();
  const limits = createLimits({
    perMinute: () => 1,
    take: async (organizationId) => {
      const granted = taken.has(organizationId) ? 0 : 1;
      taken.add(organizationId);
      return { granted, taken: 1, resetsInMs: 60_000 };
    },
  });
  await limits.count('o', []);
  behindMs = 3_600_000;
  await expect(async () => limits.count('o', [])).rejects.toMatchObject({ code: 'RATE_LIMITED' });
  const headers: string[] = [];
  await limits.count('other', headers);
  expect(Number(headers[headers.indexOf('ratelimit-reset') + 1])).toBeLessThanOrEqual(60);
});
