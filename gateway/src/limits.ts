import { Failure } from '@assay/contracts/failure';

const windowMs = 60_000;

export interface Limits {
  /**
   * Counts one request of an organization and adds the RateLimit headers to `headers` (names and
   * values in turn).
   * @throws RATE_LIMITED with the seconds until the window ends.
   */
  count(organizationId: string, headers: string[]): void;
}

/**
 * A fixed window of a minute for each organization, counted in this process; `perMinute` requests
 * of the organization fit in it.
 */
export function createLimits({
  perMinute,
}: {
  perMinute: (organizationId: string) => number;
}): Limits {
  const counts = new Map<string, number>();
  let windowEndsMs = 0;

  return {
    count: (organizationId, headers) => {
      // A clock that is set back would make the minute an hour.
      const at = performance.now();
      if (at >= windowEndsMs) {
        counts.clear();
        windowEndsMs = at + windowMs;
      }
      const used = (counts.get(organizationId) ?? 0) + 1;
      counts.set(organizationId, used);
      const limit = perMinute(organizationId);
      const resetSeconds = Math.ceil((windowEndsMs - at) / 1000);
      headers.push(
        'ratelimit-limit',
        String(limit),
        'ratelimit-remaining',
        String(Math.max(0, limit - used)),
      );
      headers.push('ratelimit-reset', String(resetSeconds));
      if (used > limit)
        throw new Failure(
          'RATE_LIMITED',
          `The organization sent more than ${limit} requests in a minute. Send fewer, or ask your operator for more.`,
          {
            retryAfterSeconds: resetSeconds,
          },
        );
    },
  };
}
