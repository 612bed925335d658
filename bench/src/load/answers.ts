/** Answers as they come in. */
export interface Answers {
  /**
   * Counts one: a 2xx with how long it took, anything else by its status, which is 0 where no
   * answer came.
   */
  count(status: number, tookMs: number): void;
  accepted(): number;
  errors: Record<string, number>;
  /** The latency that this share of the answers with a 2xx kept below. */
  latencyMs(share: number): number;
}

export function createAnswers(): Answers {
  const latencies: number[] = [];
  const errors: Record<string, number> = {};
  return {
    count: (status, tookMs) => {
      if (isSuccess(status)) latencies.push(tookMs);
      else countError(errors, status);
    },
    accepted: () => latencies.length,
    errors,
    latencyMs: (share) => quantile(latencies, share),
  };
}

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

export function countError(errors: Record<string, number>, status: number): void {
  const name = status === 0 ? 'no answer' : String(status);
  errors[name] = (errors[name] ?? 0) + 1;
}

export function quantile(values: number[], share: number): number {
  const sorted = Float64Array.from(values).sort();
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
