import { isProviderLimit } from '@assay/contracts/provider-limit';
import type { CallResult } from './execution.ts';
import type { Note } from './notes.ts';
import { Retry } from './retry.ts';
import { memberOf } from './system-error.ts';

const firstPauseMs = 1_000;
const pauseMaxMs = 60_000;
/** A provider that asks for a longer wait is waited for so long. */
const askedPauseMaxMs = 300_000;

/** Lets calls of the system through as a provider lets them. */
export interface ProviderLimits {
  /**
   * The result of the last try; `attempts` says how many there were. Undefined where the signal
   * ended before a try that was still to come.
   */
  call<Result extends CallResult>(call: () => Promise<Result>): Promise<Result | undefined>;
  notes(): Note[];
}

/**
 * At most `concurrency` calls at a time and `rateLimit` a minute. A call that fails by a provider's
 * limit is made again, up to `retries` times. Each time the number of calls at once is halved; it
 * grows back by one when as many calls have gone well. The end of `signal` ends every wait.
 */
export function createProviderLimits({
  concurrency,
  retries,
  rateLimit,
  signal,
}: {
  concurrency: number;
  retries: number;
  rateLimit?: number | undefined;
  signal: AbortSignal;
}): ProviderLimits {
  const spacingMs = rateLimit === undefined ? 0 : 60_000 / rateLimit;
  const waiting: (() => void)[] = [];
  let allowed = concurrency;
  let underWay = 0;
  let well = 0;
  let halvings = 0;
  let repeated = 0;
  let nextStart = 0;

  async function enter(): Promise<void> {
    while (underWay >= allowed && !signal.aborted)
      await new Promise<void>((resolve) => waiting.push(resolve));
    underWay += 1;
    const now = performance.now();
    const start = Math.max(now, nextStart);
    nextStart = start + spacingMs;
    await pause(start - now, signal);
  }

  function leave(): void {
    underWay -= 1;
    for (const resolve of waiting.splice(0)) resolve();
  }

  function adapt(isLimited: boolean, halvingsBefore: number): void {
    if (!isLimited) {
      well += 1;
      if (well < allowed) return;
      well = 0;
      allowed = Math.min(concurrency, allowed + 1);
    } else if (halvingsBefore === halvings) {
      // Those that began before a halving say nothing new.
      well = 0;
      halvings += 1;
      allowed = Math.max(1, Math.floor(allowed / 2));
    }
  }

  return {
    async call(call) {
      for (let attempts = 1; ; attempts++) {
        await enter();
        if (signal.aborted) {
          leave();
          return undefined;
        }
        const halvingsBefore = halvings;
        const result = await call().finally(leave);
        const isLimited = isProviderLimit(result.error);
        adapt(isLimited, halvingsBefore);
        if (!isLimited || attempts > retries) return { ...result, attempts };
        repeated += 1;
        await pause(pauseMs(result.thrown, attempts), signal);
      }
    },
    notes() {
      if (repeated === 0) return [];
      const calls = repeated === 1 ? 'call was' : 'calls were';
      return [{ text: `${repeated} ${calls} made again, since a provider had too many at once.` }];
    },
  };
}

/** How long to wait before the next try. */
function pauseMs(thrown: unknown, attempt: number): number {
  const asked = thrown instanceof Retry ? thrown.after : retryAfterOf(thrown);
  if (asked !== undefined) return Math.min(askedPauseMaxMs, Math.max(0, asked * 1000));
  const jitter = 0.75 + Math.random() / 2;
  return Math.min(pauseMaxMs, firstPauseMs * 2 ** (attempt - 1)) * jitter;
}

/** The seconds that a provider asks for by `Retry-After`: a number, or a date of HTTP. */
export function retryAfterOf(thrown: unknown): number | undefined {
  const holders = [memberOf(thrown, 'response'), thrown];
  const said = holders
    .map((each) => retryAfterIn(memberOf(each, 'headers')))
    .find((text) => text !== undefined);
  if (said === undefined) return undefined;
  const seconds = Number(said);
  if (Number.isFinite(seconds)) return seconds;
  const at = Date.parse(said);
  return Number.isNaN(at) ? undefined : (at - Date.now()) / 1000;
}

/** Headers are of fetch, or a plain object. */
function retryAfterIn(headers: unknown): string | undefined {
  if (headers instanceof Headers) return headers.get('retry-after') ?? undefined;
  if (typeof headers !== 'object' || headers === null) return undefined;
  const found = Object.entries(headers).find(([name]) => name.toLowerCase() === 'retry-after');
  return found && String(found[1]) !== '' ? String(found[1]) : undefined;
}

/** Ends after the time, or with the signal. */
function pause(ms: number, signal: AbortSignal): Promise<void> {
  if (ms <= 0 || signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    const end = () => {
      clearTimeout(timer);
      signal.removeEventListener('abort', end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    signal.addEventListener('abort', end);
  });
}
