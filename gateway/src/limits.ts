import { Failure } from '@assay/contracts/failure';
import type { RequestWish, TakenRequests } from '@assay/contracts/identity';

/** Until the keeper of the count says when its minute ends. */
const windowMs = 60_000;
/**
 * Requests that a gateway takes at once, as a part of the limit. What a gateway has taken and does
 * not use is lost to the others, so that ten of them may refuse a tenth too early.
 */
const takenPart = 1 / 100;

export interface Limits {
  /**
   * Counts one request of an organization and adds the RateLimit headers to `headers` (names and
   * values in turn). A promise where this gateway has none left that it took, and takes more.
   * @throws RATE_LIMITED with the seconds until the minute ends.
   */
  count(organizationId: string, headers: string[]): void | Promise<void>;
}

interface LimitsOptions {
  perMinute: (organizationId: string) => number;
  /** Takes requests out of an organization's minute, of which all gateways take. */
  take: (organizationId: string, wish: RequestWish) => Promise<TakenRequests>;
}

/** A minute of an organization, as this gateway knows it. */
interface Minute {
  endsAtMs: number;
  limit: number;
  /** To this gateway. */
  granted: number;
  used: number;
  /** Of those that were granted: given back with the next question. */
  returned: number;
  /** By all gateways, when some were last taken. */
  taken: number;
  isFull: boolean;
  /** Requests that wait until more are taken. */
  waiting: number;
  taking: Promise<void> | undefined;
}

/**
 * A fixed window of a minute for each organization, which all gateways share: each takes a hundredth
 * of it at a time. Where nobody says how many are left, a gateway counts alone until the minute ends.
 */
export function createLimits({ perMinute, take }: LimitsOptions): Limits {
  let minutes = new Map<string, Minute>();
  let sweptAtMs = performance.now();

  function minuteOf(organizationId: string, limit: number): Minute {
    // A clock that is set back would make the minute an hour.
    const at = performance.now();
    if (at - sweptAtMs >= windowMs) {
      sweptAtMs = at;
      minutes = new Map([...minutes].filter(([, { endsAtMs }]) => endsAtMs > at));
    }
    const known = minutes.get(organizationId);
    const minute = known && at < known.endsAtMs ? known : newMinute(at + windowMs);
    if (limit > minute.limit) minute.isFull = false;
    // A hundredth of the old limit may be more than the new one.
    if (limit < minute.limit) giveBack(minute);
    minute.limit = limit;
    if (minute !== known) minutes.set(organizationId, minute);
    return minute;
  }

  function takeMore(organizationId: string, minute: Minute): Promise<void> {
    const { limit, waiting } = minute;
    if (minute.taking) return minute.taking;
    const returned = minute.returned;
    minute.returned = 0;
    minute.taking = take(organizationId, { limit, wanted: partOf(limit) + waiting, returned })
      .then(({ granted, taken, resetsInMs }) => {
        minute.taken = taken;
        minute.granted += granted;
        minute.endsAtMs = performance.now() + resetsInMs;
        // Asked for before the limit was lowered.
        if (limit > minute.limit) giveBack(minute);
        else minute.isFull = granted === 0;
      })
      .catch(() => {
        minute.granted = minute.limit;
        minute.taken = minute.limit;
        minute.isFull = minute.used >= minute.limit;
      })
      .finally(() => {
        minute.taking = undefined;
      });
    return minute.taking;
  }

  async function useOneOfMore(organizationId: string, minute: Minute): Promise<boolean> {
    minute.waiting += 1;
    try {
      for (;;) {
        if (useOne(minute)) return true;
        if (minute.isFull) return false;
        await takeMore(organizationId, minute);
      }
    } finally {
      minute.waiting -= 1;
    }
  }

  return {
    count: (organizationId, headers) => {
      const limit = perMinute(organizationId);
      const minute = minuteOf(organizationId, limit);
      const isCounted = useOne(minute);
      if (!isCounted && !minute.isFull)
        return useOneOfMore(organizationId, minute).then((isCountedThen) =>
          tell(minute, headers, isCountedThen),
        );
      const isLow = minute.granted - minute.used < partOf(limit) / 2;
      if (isLow && !minute.isFull && minute.taken < limit) void takeMore(organizationId, minute);
      tell(minute, headers, isCounted);
    },
  };
}

const newMinute = (endsAtMs: number): Minute => ({
  ...{ endsAtMs, limit: 0, granted: 0, used: 0, returned: 0, taken: 0 },
  ...{ isFull: false, waiting: 0, taking: undefined },
});

const partOf = (limit: number): number => Math.ceil(limit * takenPart);

function giveBack(minute: Minute): void {
  minute.returned += minute.granted - minute.used;
  minute.granted = minute.used;
}

function useOne(minute: Minute): boolean {
  if (minute.used >= minute.granted) return false;
  minute.used += 1;
  return true;
}

/** @throws RATE_LIMITED for a request that is not counted, since the minute is full. */
function tell(minute: Minute, headers: string[], isCounted: boolean): void {
  const { limit, granted, used, taken, endsAtMs } = minute;
  const remaining = Math.max(0, Math.max(0, limit - taken) + granted - used);
  const resetSeconds = Math.max(1, Math.ceil((endsAtMs - performance.now()) / 1000));
  headers.push('ratelimit-limit', String(limit));
  headers.push('ratelimit-remaining', String(isCounted ? remaining : 0));
  headers.push('ratelimit-reset', String(resetSeconds));
  if (isCounted) return;
  throw new Failure(
    'RATE_LIMITED',
    `The organization sent more than ${limit} requests in a minute. Send fewer, or ask your operator for more.`,
    { retryAfterSeconds: resetSeconds },
  );
}
